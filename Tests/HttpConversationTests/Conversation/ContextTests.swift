import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import TestSupport
import Testing

/// The places that can read the conversation's context, and the values that the caller puts into it.
@Suite(.timeLimit(.minutes(1))) struct ContextTests {
    private enum Screen: ConversationContextKey { typealias Value = String }

    /// Notes the place and the value; the conversation is redirected, challenged and restarted.
    private static func manager(_ seen: Box<[String]>) -> HttpConversationManager {
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: .init(.found, [.location: "/next"])
            case 1: .init(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            default: .init(.ok, body: "done")
            }
        }
        let note = { @Sendable (place: String, context: ConversationContext?) in
            seen.update { $0.append("\(place) \(context?[Screen.self] ?? "nothing")") }
        }
        return testManager(transport) { configuration in
            let filter = TestFilter(
                onPrepare: { request, _ in
                    note("prepare", request.context)
                    // A request that a filter creates belongs to the conversation, too.
                    request = try ConversationRequest(method: .get, target: request.target)
                },
                onAuthorize: { request, _ in note("authorize", request.context) },
                onRedirect: { redirect, _ in
                    note("redirect", redirect.context)
                    return .follow
                },
                onChallenge: { challenge, _ in
                    note("challenge", challenge.context)
                    return .use(TokenCredential(token: "t"), .session)
                },
                onResponse: { response, _ in
                    note("response", response.context)
                    return .proceed
                })
            configuration.requestFilters.add(filter)
            configuration.redirectFilters.add(filter)
            configuration.challengeFilters.add(filter)
            configuration.responseFilters.add(filter)
        }
    }

    private static let everywhere = [
        "prepare main", "authorize main", "redirect main", "authorize main", "challenge main", "authorize main",
        "response main", "final main",
    ]

    @Test(arguments: ["data", "bytes", "upload", "download", "start", "startStreaming", "completion"])
    func theContextHasTheCallersValues(_ verb: String) async throws {
        let seen = Box<[String]>([])
        let manager = Self.manager(seen)
        let request = try HTTPRequest(.get, "http://h/x")
        let prepare = { @Sendable (context: ConversationContext) in context[Screen.self] = "main" }
        let context: ConversationContext
        switch verb {
        case "data": context = try await manager.data(for: request, prepare: prepare).context
        case "bytes": context = try await manager.bytes(for: request, prepare: prepare).context
        case "upload": context = try await manager.upload(for: request, from: .text("b"), prepare: prepare).context
        case "download":
            let file = TemporaryPlace.unused("context")
            defer { try? FileManager.default.removeItem(at: file) }
            context = try await manager.download(for: request, to: file, prepare: prepare).context
        case "start":
            let handle = try manager.start(request, prepare: prepare)
            #expect(handle.context[Screen.self] == "main")
            context = try await handle.value.context
        case "startStreaming": context = try await manager.startStreaming(request, prepare: prepare).value.context
        default:
            context = try await withCheckedThrowingContinuation { continuation in
                manager.executeRequest(request, prepare: prepare) { result in
                    continuation.resume(with: result.map(\.context))
                }
            }
        }
        seen.update { $0.append("final \(context[Screen.self] ?? "nothing")") }
        #expect(seen.value == Self.everywhere)
    }

    @Test func childrenSeeTheValuesOfTheirRoot() async throws {
        let seen = Box<[String]>([])
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let inner = TestFilter(onAuthorize: { request, context in
            let root = context.root
            seen.update { seen in
                seen.append(
                    "\(root[Screen.self] ?? "nothing") of \(root.target), parent \(context.parent?.target as Any)")
                seen.append("own \(context[Screen.self] ?? "nothing")")
            }
        })
        let outer = TestFilter(onResponse: { _, context in
            #expect(context.parent == nil && context.root === context)
            _ = try await context.start(HTTPRequest(.get, "http://child/")) { child in
                child.responseFilters.add(
                    TestFilter(onResponse: { _, context in
                        _ = try await context.start(HTTPRequest(.get, "http://grandchild/")) {
                            $0.requestFilters.add(inner)
                        }
                        return .proceed
                    }))
            }
            return .proceed
        })
        let manager = testManager(transport) { $0.responseFilters.add(outer) }
        _ = try await manager.data(for: HTTPRequest(.get, "http://root/")) { $0[Screen.self] = "main" }
        let parent: TargetURL? = try TargetURL("http://child/")
        #expect(seen.value == ["main of http://root/, parent \(parent as Any)", "own nothing"])
    }

    @Test func aContextPrintsOnlyItsId() async throws {
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) })
        let response = try await manager.data(for: HTTPRequest(.get, "http://h/?q=CANARY")) {
            $0[Screen.self] = "CANARY"
        }
        var text = ""
        dump(response.context, to: &text)
        text += "\(response.context)"
        #expect(text.contains("\(response.id)") && !text.contains("CANARY"))
    }
}
