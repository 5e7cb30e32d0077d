-- 20,000 users of the realm shop, all with the password of the user probe.
insert into user_entity (id, email, email_constraint, email_verified, enabled, first_name, last_name, realm_id,
                         username, created_timestamp, not_before)
select '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), name || '@shop.example', name || '@shop.example', true, true,
       'First' || n % 97, 'Last' || n % 1009, probe.realm_id, name, 1700000000000 + n, 0
from (select n, 'user-' || lpad(n::text, 5, '0') as name from generate_series(0, 19999) as n) as names,
     (select realm_id from user_entity where username = 'probe') as probe;

insert into credential (id, type, user_id, created_date, secret_data, credential_data, priority)
select '00000000-0000-4000-9000-' || right(users.id, 12), 'password', users.id, 1700000000000, of_probe.secret_data,
       of_probe.credential_data, 10
from user_entity as users,
     (select secret_data, credential_data from credential
      where user_id = (select id from user_entity where username = 'probe')) as of_probe
where users.id like '00000000-0000-4000-8000-%';

-- Every user has the realm's default roles. The client loader may manage users.
insert into user_role_mapping (user_id, role_id)
select users.id, realm.default_role from user_entity as users, realm
where users.id like '00000000-0000-4000-8000-%' and realm.name = 'shop';

insert into user_role_mapping (user_id, role_id)
select loader.id, role.id from user_entity as loader, keycloak_role as role, realm
where loader.username = 'service-account-loader' and realm.name = 'shop' and role.realm_id = realm.id
  and role.client_role and role.name in ('manage-users', 'view-users', 'query-users');

-- The search for users compares these columns.
create extension if not exists pg_trgm;
create index search_username on user_entity using gin (username gin_trgm_ops);
create index search_email on user_entity using gin (email gin_trgm_ops);
create index search_first_name on user_entity using gin (lower(first_name) gin_trgm_ops);
create index search_last_name on user_entity using gin (lower(last_name) gin_trgm_ops);

create extension if not exists pg_stat_statements;
vacuum analyze;
