create table loan (
  tool integer primary key references tool (id),  -- one loan of a tool at a time
  borrower text not null,
  since text not null
) strict;

create table past_loan (
  tool integer not null,
  borrower text not null,
  since text not null,
  until text not null
) strict;
create index past_loan_tool on past_loan (tool);
