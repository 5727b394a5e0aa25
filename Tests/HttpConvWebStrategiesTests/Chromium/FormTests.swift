#if os(Linux)
import Foundation
import HttpConversation
import Landscape
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Prepared answers, for logins that nobody attends.
    @Suite struct FormTests {
        private func bench(
            _ landscape: Landscape, _ answers: [String: String], origins: [LandscapeOrigin] = [.raw]
        ) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            bench.options.answers = FormAnswers(
                answers.mapValues { .text($0) },
                origins: Set(try origins.map { try TargetURL(landscape.url($0, "/")).origin }))
            bench.options.stallLimit = .seconds(3)
            return bench
        }

        /// What was sent, as the query of the next page.
        private func query(_ outcome: WebLoginOutcome) -> [String] {
            (URL(string: outcome.url.value)?.query ?? "").split(separator: "&").map(String.init).sorted()
        }

        @Test func fieldsOfAllKindsAreFilledIn() async throws {
            try await withLandscape { landscape in
                let bench = try bench(
                    landscape,
                    ["user": "al</script>'\"ice", "kind": "Staff", "account": "b", "terms": "on", "go": "yes"])
                bench.page(
                    "/start",
                    """
                    <form action="/search"><input name="q"><button>Search</button></form>
                    <form action="/finish"><input type="hidden" name="token" value="t"><input name="user" required>
                    <select name="kind"><option></option><option value="s">Staff</option></select>
                    <input type="radio" name="account" value="a"><input type="radio" name="account" value="b">
                    <input type="checkbox" name="terms"><button name="go" value="no">No</button>
                    <button name="go" value="yes">Yes</button></form>
                    """)
                let outcome = try await bench.perform(bench.login())
                #expect(
                    query(outcome) == [
                        "account=b", "go=yes", "kind=s", "terms=on", "token=t",
                        "user=al%3C%2Fscript%3E%27%22ice",
                    ])
            }
        }

        @Test func aFormThatAScriptBuildsIsFilledIn() async throws {
            try await withLandscape { landscape in
                let bench = try bench(landscape, ["user": "alice", "password": "secret"])
                bench.page(
                    "/start",
                    """
                    <script>
                    const show = (name, type, next) => {
                      document.body.innerHTML = `<form><input name=${name} type=${type}><button>Go on</button></form>`;
                      document.forms[0].onsubmit = event => { event.preventDefault(); next(document.forms[0][name].value) };
                    };
                    setTimeout(() => show('user', 'text', user => setTimeout(
                      () => show('password', 'password', password => location = `/finish?${user}&${password}`), 300)), 300);
                    </script><body>
                    """)
                let outcome = try await bench.perform(bench.login())
                #expect(query(outcome) == ["alice", "secret"])
            }
        }

        private struct Authenticator: ExternalURLOpener {
            let codes: AsyncStream<Redacted<String>>.Continuation
            func open(_ url: URL) async throws {
                if url.absoluteString == "sapauthenticator://code" { codes.yield(Redacted("424242")) }
            }
        }

        @Test func aCodeThatAnApplicationBringsIsFilledIn() async throws {
            try await withLandscape { landscape in
                let bench = try BrowserBench(landscape)
                bench.page(
                    "/start",
                    """
                    <form action="/finish"><input name="note" value="x"><input name="otp"><button>Go on</button></form>
                    <script>location = 'sapauthenticator://code'</script>
                    """)
                let (stream, continuation) = AsyncStream<Redacted<String>>.makeStream()
                let authenticator = CodeAuthenticator(
                    passcodes: stream, opener: Authenticator(codes: continuation))
                let outcome = try await bench.perform(bench.login(authenticator: authenticator))
                #expect(query(outcome) == ["note=x", "otp=424242"])
            }
        }

        @Test func aFieldWithoutAnAnswerIsNamed() async throws {
            try await withLandscape { landscape in
                let bench = try bench(landscape, ["user": "alice"])
                bench.page(
                    "/start", "<p>Welcome</p><form><input name=user><input name=secret type=password><button></form>")
                let error = try await bench.failure(bench.login())
                #expect(error.code == .missingAnswer)
                #expect(error.message.contains("\"secret\""))
                #expect(error.pageText?.contains("Welcome") == true)
            }
        }

        @Test func aPageThatLeadsNowhereIsAnError() async throws {
            try await withLandscape { landscape in
                let bench = try bench(landscape, ["user": "alice"])
                bench.page("/start", "<p>You are not allowed to be here.</p>")
                let error = try await bench.failure(bench.login())
                #expect(error.code == .pageFailed)
                #expect(error.pageText == "You are not allowed to be here.")
            }
        }

        @Test func aRefusedAnswerIsNotGivenAgain() async throws {
            try await withLandscape { landscape in
                let bench = try bench(landscape, ["user": "alice", "password": "wrong"])
                bench.page(
                    "/start",
                    "<p>Unknown user.</p><form action=/start method=post><input name=user><input name=password type=password><button>Go</button></form>"
                )
                let error = try await bench.failure(bench.login())
                #expect(error.code == .answersRefused)
                #expect(error.pageText?.contains("Unknown user.") == true)
                #expect(landscape.requests(path: "/start", method: "POST").count == 1)
            }
        }

        @Test(arguments: [true, false])
        func answersStayAtTheirOrigins(pageIsForeign: Bool) async throws {
            try await withLandscape { landscape in
                let bench = try bench(landscape, ["user": "alice"], origins: [pageIsForeign ? .main : .raw])
                let action = pageIsForeign ? "/taken" : landscape.urlString(.main, "/taken")
                bench.page("/start", "<form action='\(action)'><input name=user><button>Go</button></form>")
                let error = try await bench.failure(bench.login())
                #expect(error.code == .answersNotAllowed)
                let refused = try TargetURL(landscape.url(pageIsForeign ? .raw : .main, "/")).origin
                #expect(error.message.contains("\(refused)"))
                #expect(landscape.count(path: "/start") == 1)
                #expect(landscape.count(path: "/taken") == 0)
            }
        }
    }
}
#endif
