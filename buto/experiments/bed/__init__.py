"""The runs of the bed, Keycloak on PostgreSQL, as a data set that needs no bed: docs/formats/bed.md."""
