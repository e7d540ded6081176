create table note (
  id bigint generated always as identity primary key,
  title text not null,
  text text not null
);
