import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvWebStrategies
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Sites whose login ends with an answer of the resource, by what they do with the session's cookie, with the tokens of
/// their pages, and after the password.
@Suite(.timeLimit(.minutes(1))) struct SessionSiteTests {
    /// A server with one session.
    private final class Site: Sendable {
        enum Kind: Sendable {
            /// The login page has a URL of its own; the resource has a form with this content.
            case form(resource: String = "")
            /// The login page is at the resource's URL. Each page has a new token, and only the newest counts.
            case inline
            /// A relying party and its provider at one origin. Each visit of the resource makes a new `state`, and only
            /// the newest counts. The provider may ask for consent after the password.
            case provider(asksForConsent: Bool = false)
            /// After the password, the resource redirects to `/next`, which has this form.
            case next(String)
        }

        private enum Reply {
            case html(String)
            case text(String)
            case redirect(String)

            func answer(_ cookie: String?) -> ScriptedTransport.Answer {
                var fields = HTTPFields()
                fields[.setCookie] = cookie
                switch self {
                case .html(let text): return PageServer.html(text, fields)
                case .text(let text): return .init(.ok, fields, body: text)
                case .redirect(let place): return PageServer.redirect(place, cookie: cookie)
                }
            }
        }

        private struct State {
            var isKnown = false
            var hasPassed = false
            /// The number of the newest token or `state`.
            var newest = 0
            var log: [String] = []
        }

        static let password = "<input name=user><input name=password type=password><button>Log in</button></form>"
        let kind: Kind
        /// Whether the password makes a new cookie.
        let renews: Bool
        private let state = Mutex(State())

        init(_ kind: Kind, renews: Bool = false) {
            self.kind = kind
            self.renews = renews
        }

        var log: [String] { state.withLock(\.log) }
        func count(_ line: String) -> Int { log.filter { $0.hasPrefix(line) }.count }

        func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
            var body = ""
            if case .bytes(let bytes) = request.body?.kind { body = String(decoding: bytes, as: UTF8.self) }
            let path = String(request.target.path)
            return state.withLock { state in
                let isSent = request.method == .post
                state.log.append("\(request.method.rawValue) \(path)\(body.isEmpty ? "" : " \(body)")")
                let reply = reply(to: path, isSent: isSent, String(request.target.query ?? ""), body, &state)
                let hasCookie = request.headerFields[.cookie]?.contains("SID=") == true
                let isNew = !hasCookie || renews && body.contains("password=")
                return reply.answer(isNew ? "SID=\(hasCookie ? "y" : "x"); Path=/" : nil)
            }
        }

        private func reply(
            to path: String, isSent: Bool, _ query: String, _ body: String, _ state: inout State
        ) -> Reply {
            let isPassword = isSent && body.contains("password=wonderland")
            switch path {
            case "/login":
                guard isSent else { return .html("<form method=post>" + Self.password) }
                guard isPassword else { return .html("wrong <form method=post>" + Self.password) }
                state.isKnown = true
                return .redirect("/data")
            case "/authorize":
                if case .provider(asksForConsent: true) = kind, isPassword {
                    return .html("<form method=post><button name=accept value=yes>I accept</button></form>")
                }
                guard isPassword || body.contains("accept=yes") else {
                    return .html("<form method=post>" + Self.password)
                }
                return .redirect("/callback?code=1&\(query)")
            case "/callback":
                guard query.contains("state=\(state.newest)") else { return .html("The state is wrong.") }
                state.isKnown = true
                return .redirect("/data")
            case "/next":
                guard case .next(let form) = kind, state.isKnown else { return .redirect("/login") }
                guard isSent else { return .html("<form method=post>\(form)</form>") }
                state.hasPassed = true
                return .redirect("/data")
            case "/press": return .html("pressed")
            default: return resource(isPassword, body, &state)
            }
        }

        private func resource(_ isPassword: Bool, _ body: String, _ state: inout State) -> Reply {
            if case .inline = kind, isPassword, body.contains("token=\(state.newest)&") { state.isKnown = true }
            if state.isKnown {
                if case .next = kind, !state.hasPassed { return .redirect("/next") }
                guard case .form(let content) = kind, !content.isEmpty else { return .text("in") }
                return .html("<h1>in</h1>\(content)")
            }
            switch kind {
            case .form, .next: return .redirect("/login")
            case .inline:
                state.newest += 1
                return .html(
                    "<form method=post><input type=hidden name=token value=\(state.newest)>" + Self.password)
            case .provider:
                state.newest += 1
                return .redirect("/authorize?state=\(state.newest)")
            }
        }
    }

    /// - Parameter answers: further prepared answers; nil: there are none at all
    private func get(
        _ site: Site, _ answers: [String: FormAnswers.Answer]? = [:], password: String = "wonderland",
        person: FakePerson? = nil
    ) async throws -> String {
        let origin = "https://sp.example"
        let known: [String: FormAnswers.Answer] = ["user": .text("alice"), "password": .text(password)]
        let all = try answers.map { try FormAnswers(known.merging($0) { $1 }, origins: [origin]) }
        var configurator = CommonAuthenticationConfigurator.webLogin(for: try TargetURL(origin))
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: person, answers: all))
        let transport = ScriptedTransport { request, _ in site.answer(request) }
        let manager = HttpConversationManager(transport: transport, configurator)
        return try await manager.get("\(origin)/data").text
    }

    private func failure(_ site: Site, password: String = "wonderland") async throws -> WebLoginError {
        let error = await #expect(throws: ConversationError.self) { try await get(site, password: password) }
        return try #require(error?.underlyingError as? WebLoginError)
    }

    /// Forms that a resource may have on its page, without and with a new cookie.
    @Test(
        arguments: [
            "", "<form action=/search><input name=q required></form>",
            "<form method=post action=/press><button>Restart device</button></form>",
            "<form method=post action=/comment><textarea name=text required></textarea></form>",
        ], [false, true])
    func aSessionMayKeepItsCookie(_ content: String, renews: Bool) async throws {
        let site = Site(.form(resource: content), renews: renews)
        #expect(try await get(site).contains("in"))
        #expect(site.count("POST /login") == 1 && site.count("POST /press") == 0)
        // The request, the start of the login, its end, the trial, and the request again.
        #expect(site.count("GET /data") == 5)
    }

    /// The person sees no page of the resource.
    @Test func aPersonIsNotAskedForTheButtonsOfTheResource() async throws {
        let site = Site(.form(resource: "<form method=post action=/press><button>Restart device</button></form>"))
        let person = FakePerson()
        #expect(try await get(site, person: person).contains("in"))
        #expect(site.count("POST /press") == 0)
    }

    /// A trial at the login page would make another token.
    @Test(arguments: [false, true])
    func aTokenMayCountOnce(renews: Bool) async throws {
        let site = Site(.inline, renews: renews)
        #expect(try await get(site) == "in")
        #expect(site.count("POST /data") == 1)
    }

    /// The person's right password counts, too.
    @Test func aTokenMayCountOnceAfterAWrongPassword() async throws {
        let site = Site(.inline)
        let person = FakePerson(["user": ["alice", "alice"], "password": ["wrong", "wonderland"]])
        #expect(try await get(site, nil, person: person) == "in")
        #expect(site.count("POST /data") == 2)
    }

    @Test(arguments: [false, true], [false, true])
    func aStateMayCountOnce(asksForConsent: Bool, renews: Bool) async throws {
        let site = Site(.provider(asksForConsent: asksForConsent), renews: renews)
        let person = asksForConsent ? FakePerson(["Go on with": ["I accept"]]) : nil
        #expect(try await get(site, person: person) == "in")
        #expect(site.count("POST /authorize") == (asksForConsent ? 2 : 1))
    }

    /// The answer is sent, whether the password made a new cookie or not.
    @Test(
        arguments: [
            ("<input name=code autocomplete=one-time-code required>", "code", "424242"),
            ("<input name=answer required>", "answer", "Rover"),
            (
                "<button name=accept value=yes>I accept</button><button name=accept value=no>Cancel</button>", "accept",
                "yes"
            ),
            ("<p>Change it</p><input type=password name=fresh><button>Change</button>", "fresh", "other"),
        ], [false, true])
    func theLoginGoesOnAfterThePassword(_ step: (form: String, name: String, value: String), renews: Bool) async throws
    {
        let site = Site(.next(step.form), renews: renews)
        #expect(try await get(site, [step.name: .text(step.value)]) == "in")
        #expect(site.log.contains("POST /next \(step.name)=\(step.value)"))
    }

    @Test(
        arguments: [
            ("<input name=code autocomplete=one-time-code required>", "code"),
            ("<input name=answer required>", "answer"),
            (
                "<input name=answer required><button>Go</button></form><form method=post action=/logout><button>Log out</button>",
                "answer"
            ),
            ("<button name=accept value=yes>I accept</button>", "accept"),
            ("<p>Change it</p><input type=password name=fresh><button>Change</button>", "fresh"),
        ], [false, true])
    func aMissingAnswerIsNamed(_ step: (form: String, name: String), renews: Bool) async throws {
        let site = Site(.next(step.form), renews: renews)
        let error = try await failure(site)
        #expect(error.code == .missingAnswer && error.missingFields.map(\.name) == [step.name])
        #expect(site.count("POST /next") == 0)
    }

    @Test func aWrongPasswordIsSentOnce() async throws {
        for site in [Site(.form()), Site(.inline), Site(.provider())] {
            #expect(try await failure(site, password: "wrong").code == .answersRefused)
            #expect(site.log.filter { $0.contains("password=") }.count == 1)
        }
    }
}
