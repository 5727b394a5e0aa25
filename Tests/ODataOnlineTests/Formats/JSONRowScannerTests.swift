import Testing

@testable import HttpConvFormats

@Suite struct JSONRowScannerTests {
    private func rows(_ text: String, chunk: Int, limits: RowLimits = RowLimits()) throws -> ([String], PageEnvelope) {
        let scanner = JSONRowScanner(limits: limits)
        let document = JSONDocument()
        var rows: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try scanner.append(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
            while try scanner.nextRow(into: document) { rows.append(String(decoding: document.bytes, as: UTF8.self)) }
        }
        try scanner.finish()
        return (rows, scanner.page)
    }

    @Test(arguments: [
        #"{"@odata.context":"c","@odata.count":2,"value":[{"a":"]}\"[{"},{"b":[1,{}]}],"@odata.nextLink":"n"}"#,
        #"{"d":{"results":[{"a":"]}\"[{"},{"b":[1,{}]}],"__count":"2","__next":"n"}}"#,
        #"{"d":{"results":[{"a":"]}\"[{"},{"b":[1,{}]}],"__next":{"uri":"n"},"__count":"2"}}"#,
        #"{"odata.metadata":"c","odata.count":"2","value":[{"a":"]}\"[{"},{"b":[1,{}]}],"odata.nextLink":"n"}"#,
        "\u{FEFF} {\n\"value\" : [ {\"a\":\"]}\\\"[{\"} , {\"b\":[1,{}]} ] ,\"x\":{\"value\":[1]},\"@count\":2,\"@nextLink\":\"n\"}\n",
    ])
    func findsRowsAcrossPieces(_ text: String) throws {
        for chunk in [1, 2, 3, 5, 7, 11, 1000] {
            let (rows, page) = try rows(text, chunk: chunk)
            #expect(rows == [#"{"a":"]}\"[{"}"#, #"{"b":[1,{}]}"#])
            #expect(page.count == 2)
            #expect(page.nextLink == "n")
        }
    }

    @Test func listsOfOldServicesAndOfValues() throws {
        #expect(try rows(#"{"d":[{"a":1}]}"#, chunk: 3).0 == [#"{"a":1}"#])
        #expect(try rows(#"{"value":[1, "x" ,null]}"#, chunk: 1).0 == ["1", "\"x\"", "null"])
        #expect(try rows(#"{"value":[]}"#, chunk: 1).0.isEmpty)
    }

    @Test(arguments: [
        "[]", "1", "{}", "{\"value\":[", "{\"value\":[{}", "{\"value\":[{}]", "{\"value\":[{},]}",
        "{\"value\":[{} {}]}",
        "{\"value\":[,{}]}", "{\"value\":[{}],}", "{\"value\":[}", "{\"value\":[{}]} x", "{\"value\":[]\"a\":1}",
        "{\"value\":[],\"value\":[]}", "{\"value\":[{\"a\":}]}", "{\"value\":{}}",
        "{\"@odata.count\":\"many\",\"value\":[]}",
        "{\"@odata.nextLink\":7,\"value\":[]}", "{\"d\":{\"results\":[],\"__next\":{\"url\":\"n\"}}}",
    ])
    func refusesInvalidPages(_ text: String) {
        for chunk in [1, 4, 1000] {
            #expect(throws: FormatFailure.self) { try rows(text, chunk: chunk) }
        }
    }

    /// - Parameter chunks: the chunks of 64 KiB after which the scanner must have thrown
    @Test(arguments: [
        ("{\"value\":[{\"a\":\"", 17), ("{\"x\":\"", 129), ("{\"@odata.nextLink\":\"", 2), ("{\"", 1),
        ("{\"value\":[", 17),
        ("{\"value\":[[[", 17), ("   ", 129),
    ])
    func endlessPagesEnd(_ start: String, _ chunks: Int) throws {
        var limits = RowLimits()
        limits.rowBytes = 1 << 20
        limits.pageBytes = 8 << 20
        let byte = start == "   " ? UInt8(ascii: " ") : UInt8(ascii: "a")
        let fill = [UInt8](repeating: byte, count: 64 << 10)
        let scanner = JSONRowScanner(limits: limits)
        try scanner.append(Array(start.utf8))
        var count = 0
        #expect(throws: FormatFailure.self) {
            while count < 1000 {
                while try scanner.nextRow(into: JSONDocument()) {}
                count += 1
                try scanner.append(fill)
            }
        }
        #expect(count <= chunks + 1)
    }
}
