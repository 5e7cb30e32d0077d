"""What kind of project a directory has, and the first configuration for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.project import config
from buto.project.endpoints import (
    HttpEndpoint,
    actuator_endpoints,
    jax_rs_endpoints,
    openapi_endpoints,
    spring_endpoints,
)
from buto.project.first import Answered, FirstLaunch, configuration
from buto.project.layout import Jar, Listing, of_command, propose

POM = {"pom.xml": "<artifactId>spring-boot-starter-parent</artifactId> spring-boot-starter-actuator"}
BOOT = Jar({"Main-Class": "org.springframework.boot.loader.launch.JarLauncher", "Spring-Boot-Version": "3"})
CONTROLLER = """
@RestController
@RequestMapping("/api")
public class Shop {
    @GetMapping("/products/{id}") public Product one(@PathVariable("id") long id) { return null; }
    @GetMapping("/search") List<Product> search(@RequestParam("word") String w,
        @RequestParam(required = false) String order) { return null; }
    @PostMapping("/products") Product add(@RequestBody Order order) { return null; }
    @RequestMapping(value = "/all", method = RequestMethod.DELETE) void none() { }
}
"""
RESOURCE = """
@Path("/hello")
public class Hello {
    @GET @Path("/{name}") public String hello(@PathParam("name") String name) { return name; }
    @POST public void add() { }
}
"""
FOUND = (
    HttpEndpoint("/api/products/{id}"),
    HttpEndpoint("/api/search", ("word",)),
    HttpEndpoint("/api/products", (), "POST"),
    HttpEndpoint("/api/all", (), "DELETE"),
)


@pytest.mark.parametrize(
    ("listing", "kind", "command"),
    [
        (
            Listing("x", POM, {"target/shop-1.0.jar": BOOT}),
            "a Spring Boot application",
            "target/shop-1.0.jar",
        ),
        (Listing("x", {}, {"build/libs/shop.jar": BOOT}), "a Spring Boot application", "build/libs/shop.jar"),
        (
            Listing("x", {"pom.xml": "io.quarkus"}, {"target/quarkus-app/quarkus-run.jar": Jar()}),
            "a Quarkus application",
            "target/quarkus-app/quarkus-run.jar",
        ),
        (
            Listing("x", {}, {"target/benchmarks.jar": Jar({"Main-Class": "M"}, ("com.acme.Sort.quick",))}),
            "benchmarks of JMH",
            "^com\\.acme\\.Sort\\.quick$",
        ),
        (
            Listing("x", {}, {"target/a.jar": Jar({"Main-Class": "M"})}),
            "a program with a main class",
            "target/a.jar",
        ),
    ],
)
def test_each_kind_of_project_has_a_command_that_can_be_configured(
    tmp_path: Path, listing: Listing, kind: str, command: str
) -> None:
    found = propose(listing)
    assert found is not None and found.kind == kind
    assert command in found.tests[0].command
    looks = {test.name: FirstLaunch(8080, "/ready") for test in found.tests if test.server}
    path = tmp_path / "buto.yaml"
    path.write_text(configuration(found, looks))
    first = next(iter(config.load(path, {}).tests.values()))
    assert first.target.command == found.tests[0].command
    assert (first.window is not None) == bool(looks)


@pytest.mark.parametrize("name", ["café-1.0", "-dashed", "a,b", "a:b", "é", "%a", "true"])
def test_a_jar_with_an_unusual_name_is_launched_under_a_name_that_a_test_can_have(
    tmp_path: Path, name: str
) -> None:
    found = propose(Listing("x", {}, {f"target/{name}.jar": BOOT}))
    assert found is not None
    path = tmp_path / "buto.yaml"
    answered = (Answered(HttpEndpoint("/é"), 200, {}),)
    path.write_text(
        configuration(found, {found.tests[0].name: FirstLaunch(8080, "/ready", 200, 1.0, answered)})
    )
    tests = config.load(path, {}).tests
    assert len(tests) == 2
    assert tests[found.tests[0].name].target.command[-1] == f"target/{name}.jar"


def test_benchmarks_of_equal_names_in_two_packages_are_two_tests(tmp_path: Path) -> None:
    names = ("a.Sort.quick", "b.Sort.quick", "a.Sort.Quick")
    found = propose(Listing("x", {}, {"target/benchmarks.jar": Jar({}, names)}))
    assert found is not None
    path = tmp_path / "buto.yaml"
    path.write_text(configuration(found, {}))
    commands = [test.target.command for test in config.load(path, {}).tests.values()]
    assert [command[4].replace("\\", "") for command in commands] == [f"^{name}$" for name in names]


@pytest.mark.parametrize(
    ("build", "ready"),
    [
        ("io.quarkus quarkus-smallrye-health", ("/shop/q/health/ready", "/shop/q/health")),
        ("io.quarkus", ()),
    ],
)
def test_quarkus_tells_that_it_is_ready_under_its_root_if_it_has_the_extension(
    build: str, ready: tuple[str, ...]
) -> None:
    texts = {"pom.xml": build, "src/main/resources/application.properties": "quarkus.http.root-path=shop/\n"}
    found = propose(Listing("x", texts, {"target/quarkus-app/quarkus-run.jar": Jar()}))
    assert found is not None and found.tests[0].server is not None
    server = found.tests[0].server
    assert (server.ready, server.before) == (ready, "/shop")
    assert server.mappings == ("/shop/q/openapi?format=json",)


def test_a_variable_may_have_blanks_around_it_and_a_pattern_with_braces() -> None:
    endpoint = HttpEndpoint("/a/{ id : \\d{4} }/{b:x+}")
    assert endpoint.variables == ("id", "b")
    assert endpoint.fill({"id": "1", "b": "2"}) == "/a/1/2"


def test_without_a_jar_the_build_is_named_and_without_anything_nothing_is_proposed() -> None:
    for build, command in ((POM, "mvn package"), ({"build.gradle": "spring-boot"}, "gradle build")):
        found = propose(Listing("x", build))
        assert found is not None and not found.tests
        assert found.missing == f"{command}; then call this again"
    assert propose(Listing("x", {"README.md": "spring-boot"})) is None


def test_a_jar_without_a_main_class_is_named_with_a_command_that_launches_it() -> None:
    main = "class Stock { public static void main(String[] a) {} }"
    texts = {"build.gradle": "apply plugin: 'java'", "src/main/java/shop/Stock.java": main}
    found = propose(Listing("x", texts, {"build/libs/shop g.jar": Jar({"Manifest-Version": "1.0"})}))
    assert found is not None and not found.tests
    assert found.lacks.startswith("build/libs/shop g.jar has no Main-Class")
    assert found.missing == "buto init -- java -cp 'build/libs/shop g.jar' shop.Stock"


@pytest.mark.parametrize(
    ("file", "text", "trains"),
    [
        ("build.gradle", "apply plugin: 'buto'", "gradle butoTrain"),
        ("build.gradle.kts", 'plugins { id("buto") }', "gradle butoTrain"),
        ("build.gradle", "classpath 'io.github.buto-jvm:buto-gradle-plugin:0.1.0'", "gradle butoTrain"),
        ("pom.xml", "<artifactId>buto-maven-plugin</artifactId>", "mvn package buto:train"),
        ("build.gradle", "// see the manual of buto\nid 'java'", ""),
    ],
)
def test_a_build_with_the_plug_in_is_told_what_trains_it_built_or_not(
    file: str, text: str, trains: str
) -> None:
    for jars in ({}, {"build/libs/shop.jar": Jar()}):
        found = propose(Listing("x", {file: text}, jars))
        assert found is not None and not found.tests
        assert (f": {trains}; or " in found.missing) is (trains != "")
        assert "butoTrain" in found.missing or "buto:train" in found.missing or not trains


def test_a_service_without_a_known_path_is_asked_for_the_status_that_it_gave(tmp_path: Path) -> None:
    found = of_command(("java", "Svc"), Listing("x"))
    path = tmp_path / "buto.yaml"
    for status, wanted in ((404, 404), (200, None)):
        path.write_text(configuration(found, {"svc": FirstLaunch(8081, status=status)}))
        workload = config.load(path, {}).tests["svc"].workload
        assert workload is not None and workload.load is not None and workload.ready is not None
        assert [(kind.path, kind.status) for kind in workload.load.kinds] == [("/", wanted)]
        assert ("LOOK AT status" in path.read_text()) is (wanted is not None)


def test_settings_are_read_from_properties_and_from_yaml() -> None:
    yaml = 'server:\n  port: 8081   # ours\n  servlet:\n    context-path: "/shop"\nspring:\n  port: 1\n'
    assert Listing("x", {"src/main/resources/application.yml": yaml}).setting("server.port") == "8081"
    inner = Listing("x", {"src/main/resources/application.yml": yaml}).setting("server.servlet.context-path")
    assert inner == "/shop"
    properties = Listing("x", {"src/main/resources/application.properties": "a=1\nserver.port = 9\n"})
    assert properties.setting("server.port") == "9"
    assert properties.setting("server") == ""


def test_endpoints_are_found_in_sources_in_openapi_and_in_mappings() -> None:
    assert spring_endpoints({"Shop.java": CONTROLLER}) == FOUND
    assert jax_rs_endpoints({"Hello.java": RESOURCE}) == (
        HttpEndpoint("/hello/{name}"),
        HttpEndpoint("/hello", (), "POST"),
    )
    parameters = [{"name": "q", "in": "query", "required": True}, {"name": "order", "in": "query"}]
    assert openapi_endpoints({"paths": {"/s": {"get": {"parameters": parameters}}}}) == (
        HttpEndpoint("/s", ("q",)),
    )
    conditions = [
        {"requestMappingConditions": {"patterns": [path], "methods": ["GET"]}}
        for path in ("/a", "/actuator/x")
    ]
    assert actuator_endpoints({"contexts": {"a": conditions}}) == (HttpEndpoint("/a"),)
    assert openapi_endpoints(None) == actuator_endpoints(None) == ()


@pytest.mark.parametrize(
    ("ready_s", "interval_s"), [(0.0, 0.1), (0.15, 0.01), (0.5, 0.02), (1.0, 0.05), (1.9, 0.05), (2.0, 0.1)]
)
def test_a_short_start_is_sampled_more_often_in_the_launches_that_both_tests_share(
    tmp_path: Path, ready_s: float, interval_s: float
) -> None:
    found = propose(Listing("x", POM, {"target/shop-1.0.jar": BOOT}))
    assert found is not None
    path = tmp_path / "buto.yaml"
    path.write_text(configuration(found, {"shop": FirstLaunch(8081, "/ready", 200, ready_s)}))
    tests = config.load(path, {}).tests
    assert {tests[name].target.interval_s for name in ("shop", "shop-start")} == {interval_s}


def test_what_answered_is_sent_and_the_rest_is_a_comment(tmp_path: Path) -> None:
    found = propose(Listing("x", POM, {"target/shop-1.0.jar": BOOT}))
    assert found is not None
    page_endpoint, search, *others = FOUND
    answered = (Answered(page_endpoint, 200, {"id": "1"}, 20), Answered(search, 400, {"word": "1"}))
    path = tmp_path / "buto.yaml"
    path.write_text(
        configuration(found, {"shop": FirstLaunch(8081, "/ready", 200, 3.0, answered, tuple(others))})
    )
    tests = config.load(path, {}).tests
    load = tests["shop"].workload and tests["shop"].workload.load
    assert load is not None
    assert [(kind.method, kind.path) for kind in load.kinds] == [("GET", "/api/products/${id}")]
    assert (load.variables["id"].first, load.variables["id"].last) == (1, 20)
    text = path.read_text()
    assert '# api-search: {path: "/api/search?word=1"}   # answered 400' in text
    assert "# post-api-products: {method: POST" in text
    assert str(tests["shop-start"].window) == "main to load.start"
