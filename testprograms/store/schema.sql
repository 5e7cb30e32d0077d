create table product (id int primary key, name text not null, cents int not null, description text not null);
insert into product
  select n, 'Product ' || n, 100 + (n * 7919) % 9900,
    (select string_agg(substr('stone river cloud paper glass copper linen amber birch coral delta ember frost grove harbor ivory',
      1 + (n * 31 + k * 17) % 90, 6), ' ') from generate_series(1, 12) k)
  from generate_series(1, 1000) n;
create table viewed (customer int not null, product int not null);
insert into viewed
  select c, 1 + (c * 613 + k * 127) % 1000 from generate_series(1, 500) c, generate_series(1, 6 + c % 11) k;
create index viewed_by_customer on viewed (customer);
create table purchase (id bigint generated always as identity primary key, customer int not null, cents bigint not null);
create table line (purchase bigint not null references purchase, product int not null, pieces int not null);
analyze
