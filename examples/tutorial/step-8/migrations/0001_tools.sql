create table tool (
  id integer primary key,
  name text not null,
  kind text not null,
  note text
) strict;
