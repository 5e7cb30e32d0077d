import org.springframework.beans.BeanUtils;

/** Copies the properties of a bean to another, many times. */
public final class SpringCopyProperties {
    private static final int COPIES = 60_000;

    /** Has eight properties. */
    public static final class Order {
        private String customer = "1";
        private String street = "2";
        private String city = "3";
        private String country = "4";
        private String article = "5";
        private String amount = "6";
        private String price = "7";
        private String currency = "8";

        public String getCustomer() { return customer; }
        public void setCustomer(String customer) { this.customer = customer; }
        public String getStreet() { return street; }
        public void setStreet(String street) { this.street = street; }
        public String getCity() { return city; }
        public void setCity(String city) { this.city = city; }
        public String getCountry() { return country; }
        public void setCountry(String country) { this.country = country; }
        public String getArticle() { return article; }
        public void setArticle(String article) { this.article = article; }
        public String getAmount() { return amount; }
        public void setAmount(String amount) { this.amount = amount; }
        public String getPrice() { return price; }
        public void setPrice(String price) { this.price = price; }
        public String getCurrency() { return currency; }
        public void setCurrency(String currency) { this.currency = currency; }
    }

    public static void main(String[] args) throws Exception {
        var source = new Order();
        var target = new Order();
        for (int i = 0; i < COPIES; i++) {
            BeanUtils.copyProperties(source, target);
        }
        Use.print(target);
    }
}
