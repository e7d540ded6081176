create table note (
  id integer primary key,
  title text not null,
  text text not null
) strict;
