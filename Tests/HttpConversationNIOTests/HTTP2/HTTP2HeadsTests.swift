import HTTPTypes
import HttpConversation
import NIOHPACK
import Testing

@testable import HttpConversationNIO

/// Heads of requests in HTTP/2's form.
@Suite struct HTTP2HeadsTests {
    /// A table that only the server limits is not used.
    @Test(arguments: [true, false]) func fieldsInTheTable(isIndexing: Bool) throws {
        let request = try TransportRequest(
            target: TargetURL("https://server.example/a"), method: .get,
            headerFields: [.authorization: "a", .cookie: "short=1", .userAgent: "b"], body: nil,
            options: TransportOptions())
        let key = PoolKey(origin: request.target.origin)
        let wire = WireRequest(request, key: key, payload: .none, configuration: .init())
        let indexed = HTTP2Heads.request(wire, isIndexing: isIndexing).filter { $0.indexable == .indexable }
            .map(\.name)
        let own = [":method", ":scheme"]
        #expect(
            Set(indexed) == Set(isIndexing ? own + [":authority", "user-agent", "accept", "accept-encoding"] : own))
        let never = HTTP2Heads.request(wire, isIndexing: isIndexing).filter { $0.indexable == .neverIndexed }
        #expect(Set(never.map(\.name)) == ["authorization", "cookie"])
    }
}
