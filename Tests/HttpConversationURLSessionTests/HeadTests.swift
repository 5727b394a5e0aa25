import Testing

@testable import HttpConversationURLSession

@Suite("Fields that come as one text")
struct HeadTests {
    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2", ["a=1", "b=2"]),
        (
            "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT, b=2; Path=/",
            ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "b=2; Path=/"]
        ),
        ("a={\"x\": 1, \"y\": 2}", ["a={\"x\": 1, \"y\": 2}"]), ("", []), (",", [","]), ("a=1,", ["a=1,"]),
        ("a=1, =2", ["a=1, =2"]), ("a=1, b", ["a=1, b"]),
    ])
    func cookies(_ text: String, _ expected: [String]) {
        #expect(ResponseFields.splitCookies(text) == expected)
    }
}
