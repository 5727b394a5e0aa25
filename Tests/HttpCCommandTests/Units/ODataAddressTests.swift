import HttpC
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
            ("h:8443/s/Rows?a=b", "a=b", ["h:8443/s/ Rows", "h:8443/ s/Rows"]),
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
}
