import HttpC
import ODataOnline
import Testing

@testable import HttpCCommand

@Suite struct ODataAddressTests {
    @Test(
        arguments: [
            (
                "https://h/a/b/Rows?$top=1", "$top=1",
                ["https://h/a/b/ Rows", "https://h/a/ b/Rows", "https://h/ a/b/Rows"]
            ),
            (
                "https://h/s/Rows?$filter=Name eq 'O''Neil \"x\" 100%'&$format=json#top",
                "$filter=Name%20eq%20'O''Neil%20%22x%22%20100%25'&$format=json",
                ["https://h/s/ Rows", "https://h/ s/Rows"]
            ),
            (
                "https://h/s/Rows?$filter=Name%20eq%20%27a%27&$skiptoken=a%2Fb+c",
                "$filter=Name%20eq%20%27a%27&$skiptoken=a%2Fb+c",
                ["https://h/s/ Rows", "https://h/ s/Rows"]
            ),
            ("h:8443/s/Rows?a=b", "a=b", ["h:8443/s/ Rows", "h:8443/ s/Rows", "h:8443/s/Rows "]),
            (
                "https://h/s/v4/?sap-client=100&$format=json", "sap-client=100&$format=json",
                ["https://h/s/v4/ ", "https://h/s/ v4", "https://h/ s/v4"]
            ),
            ("https://h/s/Rows/?%24top=1", "%24top=1", ["https://h/s/ Rows", "https://h/ s/Rows"]),
            (
                "https://h/(S(abc))/v4/Rows?$top=1", "$top=1",
                ["https://h/(S(abc))/v4/ Rows", "https://h/(S(abc))/ v4/Rows", "https://h/ (S(abc))/v4/Rows"]
            ),
            (
                "https://h/s/Rows('A/B ü')", "",
                ["https://h/s/ Rows('A/B%20%C3%BC')", "https://h/ s/Rows('A/B%20%C3%BC')"]
            ),
            (
                "https://h/s/Orders(1)/Lines?$top=1", "$top=1",
                ["https://h/s/ Orders(1)/Lines", "https://h/ s/Orders(1)/Lines"]
            ),
            (
                "https://h/s/Rows/$count?$filter=a", "$filter=a",
                ["https://h/s/ Rows/$count", "https://h/ s/Rows/$count"]
            ),
        ] as [(String, String, [String])])
    func whole(text: String, query: String, places: [String]) {
        let address = ODataAddress(text)
        #expect(address.query == query)
        #expect(address.places.map { "\($0.root) \($0.path ?? "")" } == places)
        #expect(!address.isMetadata)
    }

    @Test func theServiceItself() {
        #expect(ODataAddress("https://h/s/").places == [.init(root: "https://h/s/", path: nil)])
        #expect(
            ODataAddress("https://h/s/Rows").places == [
                .init(root: "https://h/s/Rows", path: nil), .init(root: "https://h/s/", path: "Rows"),
            ])
        #expect(ODataAddress("https://h").places == [.init(root: "https://h", path: nil)])
        let metadata = ODataAddress("https://h/s/$metadata?sap-client=100")
        #expect(metadata.isMetadata && metadata.places == [.init(root: "https://h/s/", path: nil)])
    }

    /// The client of an SAP server stays with each request.
    @Test func theQueryOfTheServiceIsKept() {
        let address = ODataAddress(service: "https://h/s/?sap-client=100&a=b c#top", path: "Rows(7)?sap-language=EN")
        #expect(address.places == [.init(root: "https://h/s/", path: "Rows(7)?sap-language=EN")])
        #expect(address.link == ODataPath(link: "Rows(7)?sap-language=EN&sap-client=100&a=b%20c"))
        #expect(address.metadataOptions == ["sap-client": "100", "sap-language": "EN"])
        #expect(ODataAddress(service: "https://h/s/", path: "Rows").link == ODataPath(link: "Rows"))
    }

    /// No character of a path that is an argument of its own ends the path early.
    @Test(arguments: [
        ("Rows('C#')", "Rows('C%23')"), ("Rows/C#", "Rows/C%23"), ("Rows('a?b')?x=c?d#", "Rows('a%3Fb')?x=c?d%23"),
        ("Rows('O''Neil?')", "Rows('O''Neil%3F')"), ("Rows/O'Neil?$top=1", "Rows/O'Neil?$top=1"),
    ])
    func paths(text: String, encoded: String) {
        #expect(ODataAddress(service: "https://h/s/", path: text).places.first?.path == encoded)
    }

    @Test(
        arguments: [
            (["?sap-client=100"], true), (["?sap-client=100", "Rows"], true),
            (["?sap-client=100", "--metadata"], true),
            (["?$top=1", "Rows"], false), (["?$top=1", "--metadata"], false),
            (["?sap-client=1", "Rows", "--metadata"], false),
        ] as [([String], Bool)])
    func theQueryOfARead(words: [String], isGood: Bool) {
        let arguments = ["https://h/s/" + words[0]] + words.dropFirst()
        #expect(((try? ODataReadCommand.parse(arguments)) != nil) == isGood)
    }

    @Test(arguments: [("?sap-client=100", true), ("Rows?$filter=a", false)])
    func theQueryOfAChange(query: String, isGood: Bool) {
        #expect(((try? ODataDeleteCommand.parse(["https://h/s/" + query, "Rows(7)"])) != nil) == isGood)
    }
}
