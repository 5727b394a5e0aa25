import Testing

@testable import HttpCRelay

@Suite struct RelayedProgramTests {
    /// curl reads the lower-case name first, other programs the upper-case one.
    @Test(
        arguments: [
            ([:], "127.0.0.1"), (["no_proxy": ""], "127.0.0.1"), (["no_proxy": "a"], "a,127.0.0.1"),
            (["NO_PROXY": "a,b"], "a,b,127.0.0.1"), (["no_proxy": "a", "NO_PROXY": "b"], "a,127.0.0.1"),
            (["no_proxy": "", "NO_PROXY": "b"], "b,127.0.0.1"), (["no_proxy": "*"], "*"), (["NO_PROXY": " * "], "*"),
        ] as [([String: String], String)])
    func bothNamesHaveTheWholeList(given: [String: String], list: String) {
        let environment = RelayedProgram.withoutProxy(given.merging(["https_proxy": "http://proxy:1"]) { $1 })
        #expect(environment == ["no_proxy": list, "NO_PROXY": list, "https_proxy": "http://proxy:1"])
    }
}
