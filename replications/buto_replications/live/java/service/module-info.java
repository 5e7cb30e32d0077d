module live.service {
    requires jdk.httpserver;

    exports live.service;
}
