create table invoice (number text primary key, cents integer not null);
