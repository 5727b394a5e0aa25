#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import LandscapeSupport
import Synchronization
import Testing

extension ChromiumTests {
    /// The conversation's providers answer 401s in the browser.
    @Suite(.landscape) struct PasswordTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        /// A provider that gives one answer after the other, and records the challenges.
        private final class Provider: UsernamePasswordProvider {
            private let left: Mutex<[String]>
            private let asked = Mutex<[AuthenticationChallenge]>([])
            private let waits: @Sendable () async throws -> Void
            /// Whether it serves other servers than the conversation's, too.
            private let isForAll: Bool
            var challenges: [AuthenticationChallenge] { asked.withLock { $0 } }

            init(
                _ passwords: [String], isForAll: Bool = false,
                waits: @escaping @Sendable () async throws -> Void = {}
            ) {
                left = Mutex(passwords)
                self.isForAll = isForAll
                self.waits = waits
            }

            func serves(_ destination: CredentialDestination) -> Bool { isForAll || destination.isCallersOwn }

            func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
                asked.withLock { $0.append(challenge) }
                try await waits()
                guard let next = left.withLock({ $0.count > 1 ? $0.removeFirst() : $0.first }) else { return .cancel }
                return .credential(UsernamePassword(username: "alice", password: next), persistence: .session)
            }
        }

        private func bench(_ provider: Provider) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            bench.configuration.challengeFilters.add(UsernamePasswordFilter(providers: [provider]))
            // The protected page is in a frame; the login continues whatever its answer.
            bench.page(
                "/start",
                "<iframe src='\(landscape.urlString(.main, "/basic/realm1/page"))' onload=\"location = '/finish'\"></iframe>"
            )
            return bench
        }

        private func answers() -> [Int?] {
            landscape.requests(path: "/basic/realm1/page").filter { !$0.values(of: "authorization").isEmpty }
                .map(\.status)
        }

        @Test func theProviderAnswers() async throws {
            let provider = Provider(["wonderland"])
            let bench = try bench(provider)
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [200])
            let challenge = try #require(provider.challenges.first)
            #expect(provider.challenges.count == 1)
            let origin = try TargetURL(landscape.url(.main, "/")).origin
            #expect(challenge.space.origin == origin)
            #expect(challenge.method == .basic && challenge.realm == "realm1")
        }

        /// Four requests are refused before the provider's first answer.
        @Test func simultaneousRequestsGetTheSamePassword() async throws {
            var bench = try BrowserBench(landscape)
            let provider = Provider(["wonderland"]) { [landscape] in
                try await landscape.waitFor(count: 4, path: "/basic/realm1/page")
            }
            bench.configuration.challengeFilters.add(UsernamePasswordFilter(providers: [provider]))
            let page = landscape.urlString(.main, "/basic/realm1/page")
            let frames = (1...4).map { "<iframe src='\(page)?\($0)' onload='loaded()'></iframe>" }.joined()
            bench.page(
                "/start",
                "<script>let left = 4; const loaded = () => { if (!--left) location = '/finish' }</script>" + frames)
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [200, 200, 200, 200])
            #expect(Set(provider.challenges.map(\.previousFailureCount)) == [0])
        }

        /// By itself Chromium would answer only the strongest scheme.
        @Test func aServerThatAlsoOffersNTLM() async throws {
            let provider = Provider(["wonderland"], isForAll: true)
            let bench = try bench(provider)
            landscape.raw.respond(
                path: "/both",
                text:
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\nWWW-Authenticate: Basic realm=\"both\"\r\nContent-Length: 2\r\n\r\nno"
            )
            bench.page("/start", "<iframe src='/both' onload=\"location = '/finish'\"></iframe>")
            _ = try await bench.perform(try bench.login())
            #expect(provider.challenges.map(\.method) == [.basic, .basic])
            let sent = landscape.requests(path: "/both").flatMap { $0.values(of: "authorization") }
            #expect(sent == ["Basic " + Data("alice:wonderland".utf8).base64EncodedString()])
        }

        @Test func theSecondAnswerMayBeRight() async throws {
            let provider = Provider(["wrong", "wonderland"])
            let bench = try bench(provider)
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [401, 200])
            #expect(provider.challenges.map(\.previousFailureCount) == [0, 1])
        }

        @Test func nobodyTriesForEver() async throws {
            let provider = Provider(["wrong", "wronger", "wrongest"])
            let bench = try bench(provider)
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [401, 401])
            #expect(provider.challenges.count == 2)
        }

        @Test func theSameWrongPasswordIsNotSentTwice() async throws {
            let bench = try bench(Provider(["wrong"]))
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [401])
        }

        @Test func aPersonWhoSaysNoEndsTheLogin() async throws {
            let bench = try bench(Provider([]))
            #expect(try await bench.failure(try bench.login()).code == .cancelled)
            #expect(landscape.count(path: "/basic/realm1/page") == 1)
        }

        @Test func withoutAProviderThePageIsTheServers401() async throws {
            var bench = try bench(Provider([]))
            bench.configuration = .init()
            _ = try await bench.perform(try bench.login())
            #expect(answers() == [])
            #expect(landscape.count(path: "/basic/realm1/page") == 1)
        }
    }
}
#endif
