#if os(Linux)
import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation
import Synchronization
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// The browser's description of a request that it holds, and the document that it belongs to.
@Suite(.timeLimit(.minutes(1))) struct PausedRequestTests {
    private func request(
        _ url: String = "https://idp.example/x", _ members: [String: JSONValue] = [:], referer: String? = nil,
        origin: String? = nil
    ) throws -> PausedRequest {
        var headers: [String: JSONValue] = ["Accept": .string("*/*")]
        headers["Referer"] = referer.map { .string($0) }
        headers["Origin"] = origin.map { .string($0) }
        var request: [String: JSONValue] = [
            "url": .string(url), "method": .string("GET"), "headers": .object(headers),
        ]
        request.merge(members) { $1 }
        let event = DevToolsEvent(
            method: "Fetch.requestPaused",
            parameters: .object([
                "requestId": .string("1"), "frameId": .string("f"), "resourceType": .string("Image"),
                "request": .object(request),
            ]), session: "s")
        return try #require(PausedRequest(event))
    }

    @Test func itsFieldsAreTheBrowsersAndNotTheConnections() throws {
        let names = ["Cookie", "Host", "Content-Length", "Accept-Encoding", "connection", "X-Own", "Bad"]
        let headers = Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string("v")) })
        let request = try request(
            "https://idp.example/x",
            ["headers": .object(headers.merging(["Bad": .string("a\r\nInjected: 1")]) { $1 })])
        #expect(Set(request.fields.map(\.name.canonicalName)) == ["cookie", "x-own"])
    }

    @Test func itsBodyIsWholeOrUnknown() throws {
        let part = { (text: String) in JSONValue.object(["bytes": .string(Data(text.utf8).base64EncodedString())]) }
        let cases: [([String: JSONValue], String?)] = [
            ([:], ""), (["postData": .string("a=1")], "a=1"),
            (["postDataEntries": .array([part("a="), part("ä")]), "postData": .string("no")], "a=ä"),
            (["hasPostData": .bool(true)], nil),
            // A file between two parts.
            (["postDataEntries": .array([part("a"), .object([:]), part("b")]), "hasPostData": .bool(true)], nil),
        ]
        for (members, body) in cases {
            #expect(
                try request("https://idp.example/x", members).body.map { String(decoding: $0, as: UTF8.self) } == body)
        }
    }

    /// The frame's document decides. A page can suppress the `Referer`, but not forge it.
    @Test(
        arguments: [
            ("https://idp.example", nil, true), ("https://idp.example", "https://idp.example/page", true),
            ("https://evil.example", nil, false), ("https://idp.example", "https://evil.example/", false),
            ("https://evil.example", "https://idp.example/module.js", false), (nil, nil, false),
            (nil, "https://idp.example/", false), ("null", nil, false), ("https://idp.example:444", nil, false),
            ("http://idp.example", nil, false),
        ] as [(String?, String?, Bool)])
    func whatIsTheServersOwn(document: String?, referer: String?, isOwn: Bool) throws {
        var frames = FrameOrigins()
        if let document {
            frames.arrive(.object(["id": .string("f"), "securityOrigin": .string(document)]))
        }
        #expect(frames.isOwn(try request(referer: referer)) == isOwn)
        // Another document is loading.
        frames.leave("f")
        #expect(frames.isOwn(try request(referer: referer)) == (isOwn && referer != nil))
    }

    /// The document stays if none came in its place. The end of an older request for one says nothing.
    @Test func whatStays() throws {
        var frames = FrameOrigins()
        frames.arrive(.object(["id": .string("f"), "securityOrigin": .string("https://idp.example")]))
        frames.leave("f", for: "1")
        frames.leave("f", for: "2")
        frames.stay(without: "1")
        #expect(try frames.isLoading("f") && !frames.isOwn(request()))
        frames.stay(without: "2")
        #expect(try !frames.isLoading("f") && frames.isOwn(request()))
    }

    @Test func whatIsAroundAFrame() throws {
        var frames = FrameOrigins()
        frames.arrive(.object(["id": .string("top"), "securityOrigin": .string("https://idp.example")]))
        frames.attach("middle", to: "top")
        frames.attach("inner", to: "middle")
        let idp = try TargetURL("https://idp.example").origin
        #expect(frames.ancestors(of: "top") == [])
        #expect(frames.ancestors(of: "middle") == [idp])
        #expect(frames.ancestors(of: "inner") == [nil, idp])
    }

    /// A request that came before its document belongs to it if the `Referer` says so: the document before may have
    /// sent it.
    @Test(
        arguments: [
            ("https://idp.example", "https://idp.example/page", true), ("https://idp.example", nil, false),
            ("https://idp.example", "https://evil.example/", false),
            ("https://evil.example", "https://idp.example/page", false),
        ] as [(String, String?, Bool)])
    func whatAnEarlyRequestIs(document: String, referer: String?, isOwn: Bool) throws {
        var frames = FrameOrigins()
        frames.arrive(.object(["id": .string("f"), "securityOrigin": .string("https://app.example")]))
        frames.leave("f")
        let request = try request(referer: referer)
        #expect(frames.isLoading("f") && !frames.isOwn(request))
        frames.arrive(.object(["id": .string("f"), "securityOrigin": .string(document)]))
        #expect(!frames.isLoading("f") && frames.isOwn(request, isEarly: true) == isOwn)
    }

    /// As after a redirect by another server.
    @Test(arguments: [("https://idp.example", true), ("null", false), ("https://evil.example", false)])
    func whatTheOriginFieldContradicts(origin: String, isOwn: Bool) throws {
        var frames = FrameOrigins()
        frames.arrive(.object(["id": .string("f"), "securityOrigin": .string("https://idp.example")]))
        #expect(frames.isOwn(try request(origin: origin)) == isOwn)
    }

    private final class Count: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var now: Int { state.withLock { $0.now } }
        var most: Int { state.withLock { $0.most } }

        func pass() async {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            await Task.yield()
            state.withLock { $0.now -= 1 }
        }
    }

    /// At most three at a time, and all in the end.
    @Test func theOthersWait() async {
        let (limiter, count) = (TaskLimiter(3), Count())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await limiter.perform { await count.pass() } } }
        }
        #expect(count.most == 3 && count.now == 0)
    }
}
#endif
