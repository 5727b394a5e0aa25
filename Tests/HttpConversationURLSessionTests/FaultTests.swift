import HTTPTypes
import HttpConversation
import HttpConversationTesting
import HttpConversationURLSession
import LandscapeSupport
import Testing

/// The errors for broken servers. Left out: a cut head, and other faults on which FoundationNetworking ends the
/// process.
@Suite("Faults over URLSession", .landscape, .timeLimit(.minutes(1)))
struct FaultTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: [
        ("cut-before-head", ConversationError.Code.emptyResponse), ("cut-mid-body", .bodyCut),
        ("cut-mid-chunks", .bodyCut), ("conflicting-lengths", .malformedResponse), ("garbage", .malformedResponse),
        ("length-and-chunks", .malformedResponse), ("unasked-upgrade", .malformedResponse),
        ("reset-before-head", .emptyResponse), ("oversized-head", .tooLarge),
    ])
    func fault(_ name: String, _ code: ConversationError.Code) async throws {
        let error = await URLSessionTransport().failure(.get, landscape.urlString(.main, "/fault/\(name)")) {
            $0.idleTimeout = .seconds(5)
        }
        #expect(error?.code == code, "\(error.map { "\($0)" } ?? "none")")
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/", ConversationError.Code.connectionFailed),
        ("http://nowhere.invalid/", .hostNotResolved),
    ])
    func noConnection(_ url: String, _ code: ConversationError.Code) async throws {
        let error = await URLSessionTransport().failure(.get, url)
        #expect(error?.code == code)
    }

    @Test func untrustedServer() async throws {
        let error = await URLSessionTransport().failure(.get, landscape.urlString(.secure, "/json"))
        #expect(error?.code == .certificateNotTrusted)
        #expect(landscape.count(path: "/json") == 0)
    }

    @Test func noTLSThere() async throws {
        let url = landscape.urlString(.main, "/json").replacing("http://", with: "https://")
        #expect(await URLSessionTransport().failure(.get, url)?.code == .tlsFailed)
    }
}
