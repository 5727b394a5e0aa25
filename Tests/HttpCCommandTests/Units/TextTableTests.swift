import Testing

@testable import HttpCTerminal

/// Tables that are too wide for a terminal list their cells one below the other.
@Suite struct TextTableTests {
    private let titles = ["NAME", "FOR", "SCOPES"]
    private let rows = [["a", "https://one.example/", "read"], ["bb", "https://two.example/", ""]]

    @Test func columnsAreAligned() {
        #expect(
            TextTable.list(titles, rows, 34) == """
                NAME  FOR                   SCOPES
                a     https://one.example/  read
                bb    https://two.example/

                """)
    }

    @Test func narrowTerminalsGetALineEach() {
        #expect(
            TextTable.list(titles, rows, 33) == """
                NAME    a
                FOR     https://one.example/
                SCOPES  read

                NAME  bb
                FOR   https://two.example/

                """)
    }
}
