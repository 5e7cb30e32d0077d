module live.driver {
    requires com.google.gson;

    exports live.driver;
}
