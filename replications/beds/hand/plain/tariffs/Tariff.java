/** Price of some watt hours in an hour of the contract, in thousandths of a cent. */
public interface Tariff {
    long price(int hour, long wattHours);
}
