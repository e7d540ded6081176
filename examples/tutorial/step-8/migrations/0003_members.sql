create table member (
  name text primary key,
  password text not null  -- Argon2id, never the password itself
) strict;
