/** Makes plants of varieties. */
interface Beds {
    Plant plant(Variety variety, boolean potted) throws Exception;
}
