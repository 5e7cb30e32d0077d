/** A sample of seeds as it came in. */
final class Accession {
    final int id;
    final String genus;
    final String species;
    final String country;
    final int year;
    final int viability;

    Accession(int id, String genus, String species, String country, int year, int viability) {
        this.id = id;
        this.genus = genus;
        this.species = species;
        this.country = country;
        this.year = year;
        this.viability = viability;
    }
}
