create table parcel (id text primary key, grams integer not null);
