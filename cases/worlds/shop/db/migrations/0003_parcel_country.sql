alter table parcel add column country text;
