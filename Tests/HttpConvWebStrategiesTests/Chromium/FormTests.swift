#if os(Linux)
import Foundation
import HttpConversation
import LandscapeSupport
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Prepared answers, for unattended logins.
    @Suite(.landscape) struct FormTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        private func bench(
            _ answers: [String: String], origins: [LandscapeOrigin] = [.raw]
        ) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(
                answers.mapValues { .text($0) },
                origins: origins.map { landscape.url($0, "/") })
            bench.options.stallLimit = .seconds(3)
            return bench
        }

        /// The values that were sent, from the query of the next page.
        private func query(_ outcome: WebLoginOutcome) -> [String] {
            (URL(string: outcome.finish.value)?.query ?? "").split(separator: "&").map(String.init).sorted()
        }

        @Test func fieldsOfAllKindsAreFilledIn() async throws {
            let bench = try bench(
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

        /// GLPI gives its fields new names each time.
        @Test func aFieldWhoseNameIsNewGoesByItsID() async throws {
            let bench = try bench(["login_name": "alice", "login_password": "secret", "user": "eve"])
            bench.page(
                "/start",
                """
                <form action="/finish"><input id="login_name" name="fielda662f8c1e3a5b7">
                <input id="login_password" name="fieldb662f8c1e3a5b7" type="password">
                <input id="user" name="note"><button>Sign in</button></form>
                """)
            let outcome = try await bench.perform(bench.login())
            #expect(query(outcome) == ["fielda662f8c1e3a5b7=alice", "fieldb662f8c1e3a5b7=secret", "note="])
        }

        @Test func aFormThatAScriptBuildsIsFilledIn() async throws {
            let bench = try bench(["user": "alice", "password": "secret"])
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

        /// The page of an identity provider that has both fields from the beginning, and shows one at a time.
        @Test(arguments: [
            "class=away tabindex=-1 aria-hidden=true", "tabindex=-1 aria-hidden=true", "style='visibility: hidden'",
            "style='opacity: 0'", "style='position: absolute; left: -9999px'",
            "style='width: 0; padding: 0; border: 0'",
        ])
        func aFieldThatNobodySeesIsLeftAlone(hidden: String) async throws {
            let bench = try bench(["user": "alice", "password": "secret", "terms": "on"])
            bench.page(
                "/start",
                """
                <style>.away { position: fixed; bottom: 0; right: 0; width: 0; height: 0; opacity: 0 }</style>
                <form action="/finish"><input name="user"><input name="password" type="password" \(hidden)>
                <input name="bait" type="password" \(hidden)>
                <input name="terms" type="checkbox" style="opacity: 0"><button>Go on</button></form><script>
                const form = document.forms[0];
                form.onsubmit = event => {
                  if (form.password.value || form.bait.value) { form.action = '/taken'; return }
                  event.preventDefault();
                  const user = form.user.value;
                  form.innerHTML = '<input name=password type=password><button>Go on</button>';
                  form.onsubmit = () =>
                    form.insertAdjacentHTML('beforeend', `<input type=hidden name=user value=${user}>`);
                };
                </script>
                """)
            let outcome = try await bench.perform(bench.login())
            #expect(query(outcome) == ["password=secret", "user=alice"])
            #expect(landscape.count(path: "/taken") == 0)
        }

        /// A text is cut to a number of UTF-16 units, and a page may have half of a surrogate pair anywhere.
        @Test func textWithHalfASurrogatePairIsRead() async throws {
            let bench = try bench(["user": "alice"])
            let text = String(repeating: "x", count: 491) + String(repeating: "🔒", count: 20)
            bench.page(
                "/start",
                """
                <meta charset="utf-8"><p>\(text)</p>
                <form action="/finish"><input name="user"><button>Go on</button></form><script>
                document.title = '\\ud83d';
                document.forms[0].insertAdjacentHTML('beforeend', '<input name="x\\udd12" value="\\ud83d">');
                </script>
                """)
            #expect(query(try await bench.perform(bench.login())).contains("user=alice"))
        }

        /// A page may take its time for each step, as long as each step changes it.
        @Test func aPageThatChangesIsNotStalled() async throws {
            let bench = try bench(["user": "alice", "password": "secret"])
            bench.page(
                "/start",
                """
                <body><script>
                const show = (name, next) => {
                  document.body.innerHTML = `<form><input name=${name}><button>Go on</button></form>`;
                  document.forms[0].onsubmit = event => {
                    event.preventDefault();
                    document.body.innerHTML = '<p>Please wait</p>';
                    setTimeout(next, 2000);
                  };
                };
                show('user', () => show('password', () => location = '/finish'));
                </script>
                """)
            _ = try await bench.perform(bench.login())
        }

        /// A clock is no sign that the page is still at work.
        @Test func aPageWithAClockIsStalled() async throws {
            let bench = try bench(["user": "alice"])
            bench.page(
                "/start",
                "<p>Your session ends in <b>900</b> s.</p><script>const b = document.querySelector('b');"
                    + "setInterval(() => { b.textContent -= 1 }, 500)</script>")
            #expect(try await bench.failure(bench.login()).code == .pageFailed)
        }

        /// A page that logs in by script, and loads no other page.
        @Test(arguments: [true, false])
        func aLoginByScriptIsTried(changesURL: Bool) async throws {
            var bench = try bench(["user": "alice"])
            // Longer than the login may take: only the change of the URL may end it.
            if changesURL { bench.options.stallLimit = .seconds(600) }
            bench.page(
                "/start",
                """
                <form><input name="user"><button>Go on</button></form><script>
                document.forms[0].onsubmit = async event => {
                  event.preventDefault();
                  await fetch('/session');
                  document.body.innerHTML = '<p>Welcome</p>';
                  \(changesURL ? "history.pushState(0, '', '/home')" : "")
                };
                </script>
                """)
            bench.page("/session", "", headers: "Set-Cookie: session=1; Path=/\r\n")
            let start = try TargetURL(landscape.url(.raw, "/start"))
            let trial = WebLoginTrial(at: start.origin) { $0.contains { $0.name == "session" } }
            let login = WebLogin(.webLogin, start: start, cookieTargets: bench.targets, trial: trial)
            let outcome = try await bench.perform(login)
            #expect(outcome.finish.value == landscape.urlString(.raw, changesURL ? "/home" : "/start"))
            #expect(trial.hasSucceeded)
            #expect(landscape.count(path: "/home") == 0)
        }

        /// Chromium takes an empty 405 for a failure, but its server may have accepted the login.
        @Test func anEmptyErrorOfTheResource() async throws {
            let bench = try BrowserBench(landscape)
            bench.redirect("/start", to: "/home", headers: "Set-Cookie: session=1; Path=/\r\n")
            landscape.raw.respond(
                path: "/home", text: "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
            let start = try TargetURL(landscape.url(.raw, "/start"))
            let trial = WebLoginTrial(at: start.origin) { $0.contains { $0.name == "session" } }
            let login = WebLogin(.webLogin, start: start, cookieTargets: bench.targets, trial: trial)
            let outcome = try await bench.perform(login)
            #expect(outcome.finish.value == landscape.urlString(.raw, "/home"))
            #expect(trial.hasSucceeded)
        }

        /// The resource may need more time than a login has.
        @Test func aResourceThatSendsNothingEndsTheLogin() async throws {
            var bench = try bench(["user": "alice"])
            bench.options.silenceLimit = .seconds(1)
            bench.page("/start", "<form action=/enter method=post><input name=user></form>")
            bench.redirect("/enter", to: "/resource", headers: "Set-Cookie: session=1; Path=/\r\n")
            landscape.raw.respond(path: "/resource", text: "")
            let start = try TargetURL(landscape.url(.raw, "/start"))
            let trial = WebLoginTrial(of: try TargetURL(landscape.url(.raw, "/resource"))) { _, _ in
                Issue.record("a trial would be the same request")
                return nil
            }
            let login = WebLogin(.webLogin, start: start, cookieTargets: bench.targets, trial: trial)
            let outcome = try await bench.perform(login)
            #expect(outcome.finish.value == landscape.urlString(.raw, "/resource"))
            #expect(outcome.cookies.map(\.name) == ["session"] && trial.hasSucceeded)
            #expect(landscape.count(path: "/resource") == 1)
        }

        /// A page that is not the resource may be slow, too.
        @Test func anotherPageThatSendsNothingDoesNot() async throws {
            var bench = try bench(["user": "alice"])
            bench.options.silenceLimit = .milliseconds(200)
            bench.options.timeLimit = .seconds(8)
            bench.page("/start", "<form action=/enter method=post><input name=user></form>")
            bench.redirect("/enter", to: "/slow", headers: "Set-Cookie: session=1; Path=/\r\n")
            landscape.raw.respond(path: "/slow", text: "")
            let start = try TargetURL(landscape.url(.raw, "/start"))
            let trial = WebLoginTrial(of: try TargetURL(landscape.url(.raw, "/resource"))) { _, _ in nil }
            let login = WebLogin(.webLogin, start: start, cookieTargets: bench.targets, trial: trial)
            #expect(try await bench.failure(login).code == .timedOut)
            #expect(landscape.count(path: "/slow") == 1 && !trial.hasSucceeded)
        }

        /// An authenticator that calls back, at once or later.
        private struct Authenticator: ExternalURLOpener {
            let callbacks: PasscodeCallbacks
            var delay = Duration.zero
            func open(_ url: URL) async throws {
                guard url.absoluteString == "sapauthenticator://code",
                    let callback = URL(string: "app.xcallbackurl://x?passcode=424242")
                else { return }
                // The person takes a while to use the telephone.
                Task {
                    try await Task.sleep(for: delay)
                    _ = callbacks.handle(callback)
                }
            }
        }

        private func authenticator(after delay: Duration = .zero) throws -> CodeAuthenticator {
            let callbacks = PasscodeCallbacks(parameter: "passcode")
            return CodeAuthenticator(
                origin: try TargetURL(landscape.url(.raw, "/")).origin, callbacks: callbacks,
                opener: Authenticator(callbacks: callbacks, delay: delay))
        }

        /// The application may be slow: the page is left alone meanwhile.
        @Test(arguments: [
            "GO", "onload = () => setTimeout(() => GO)", "GO; setTimeout(() => location = '/nothing', 500)",
        ])
        func aCodeThatComesLate(script: String) async throws {
            let bench = try bench(["user": "alice"])
            landscape.raw.respond(path: "/nothing", text: "HTTP/1.1 204 No Content\r\n\r\n")
            bench.page(
                "/start",
                "<form action=/finish><input name=otp><button>Go on</button></form><script>"
                    + script.replacing("GO", with: "location = 'sapauthenticator://code'") + "</script>")
            let outcome = try await bench.perform(
                bench.login(authenticator: authenticator(after: .seconds(4))))
            #expect(query(outcome) == ["otp=424242"])
        }

        /// A page that takes the code by a script, and stays, asks for a field without an answer.
        @Test func aCodeThatIsNotAccepted() async throws {
            let bench = try bench(["user": "alice"])
            bench.page(
                "/start",
                "<form onsubmit='fetch(`/check`); return false'><input name=otp><button>Go on</button></form>"
                    + "<script>location = 'sapauthenticator://code'</script>")
            bench.page("/check", "wrong")
            let error = try await bench.failure(bench.login(authenticator: authenticator()))
            #expect(error.code == .pageFailed || error.code == .missingAnswer, "\(error)")
            #expect(landscape.count(path: "/check") == 1)
        }

        /// A page that leads on by itself is not filled in, however long the next page takes.
        @Test func aPageThatIsBeingLeftIsNotFilledIn() async throws {
            let bench = try bench(["user": "alice", "password": "secret"])
            bench.page(
                "/start",
                "<form action=/fallback method=post><input name=user><input name=password type=password><button>Go"
                    + "</button></form><script>location = '/next'</script>")
            let page = "HTTP/1.1 302 Found\r\nLocation: /finish\r\nContent-Length: 0\r\n\r\n"
            landscape.raw.respond(
                path: "/next", script: WireScript([.pause(.seconds(4)), .bytes(Array(page.utf8))]))
            _ = try await bench.perform(bench.login())
            #expect(landscape.count(path: "/fallback") == 0)
        }

        /// An image that never comes does not block the login.
        @Test func aPageThatIsNeverLoadedIsFilledIn() async throws {
            let bench = try bench(["user": "alice"])
            bench.page(
                "/start", "<img src=/never><form action=/finish><input name=user><button>Go on</button></form>")
            landscape.raw.respond(path: "/never", script: WireScript([.pause(.seconds(60))]))
            #expect(query(try await bench.perform(bench.login())) == ["user=alice"])
        }

        @Test func anEmptyPageIsAnError() async throws {
            let bench = try bench(["user": "alice"])
            bench.page("/start", "<script>onload = () => setTimeout(() => { location = 'about:blank' })</script>")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .pageFailed && error.message.contains("empty page"), "\(error)")
        }

        @Test func aCodeThatAnApplicationBringsIsFilledIn() async throws {
            let bench = try BrowserBench(landscape)
            bench.page(
                "/start",
                """
                <form action="/finish"><input name="note" value="x"><input name="otp"><button>Go on</button></form>
                <script>location = 'sapauthenticator://code'</script>
                """)
            let outcome = try await bench.perform(bench.login(authenticator: authenticator()))
            #expect(query(outcome) == ["note=x", "otp=424242"])
        }

        /// The code is for the page that had the link; another page of the same server does not get it.
        @Test func aCodeGoesToNoOtherPage() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.stallLimit = .seconds(3)
            bench.page(
                "/start",
                "<form action=/finish><input name=otp><button>Go on</button></form>"
                    + "<script>history.replaceState(0, '', '/other'); location = 'sapauthenticator://code'</script>"
            )
            let error = try await bench.failure(bench.login(authenticator: authenticator()))
            #expect(error.code == .missingAnswer && error.message.contains("otp"), "\(error)")
            #expect(landscape.count(path: "/start") == 1 && landscape.count(path: "/finish") == 0)
        }

        /// An answer without content (204) and a file do not leave the page.
        @Test(arguments: [
            "204 No Content\r\n\r\n",
            "200 OK\r\nContent-Disposition: attachment; filename=f\r\nContent-Length: 1\r\n\r\nx",
        ])
        func whatCannotBeShownLeavesThePage(answer: String) async throws {
            landscape.raw.respond(path: "/nothing", text: "HTTP/1.1 \(answer)")
            let form = "<form action=/nothing><input name=password type=password><button>Go on</button></form>"
            var bench = try bench(["password": "secret"])
            bench.page("/start", form)
            var error = try await bench.failure(bench.login())
            #expect(error.code == .answersRefused, "\(error)")
            #expect(landscape.count(path: "/nothing") == 1)
            bench.options.answers = FormAnswers()
            bench.page(
                "/start", "<script>onload = () => setTimeout(() => { location = '/nothing' })</script>\(form)")
            error = try await bench.failure(bench.login())
            #expect(error.code == .missingAnswer && error.message.contains("password"), "\(error)")
            error = try await bench.failure(bench.login(from: landscape.url(.raw, "/nothing")))
            #expect(error.code == .pageFailed && error.message.contains("empty page"), "\(error)")
        }

        /// A link to an application that is not opened does not leave the page, which is filled in as usual.
        @Test(arguments: ["sapauthenticator://code", "mailto:help@example.com"])
        func aLinkToAnApplicationLeavesThePage(link: String) async throws {
            let bench = try bench(["user": "alice"])
            bench.page(
                "/start",
                "<script>addEventListener('load', () => setTimeout(() => { location = '\(link)' }))</script>"
                    + "<form action=/start><input name=secret type=password><button>Go on</button></form>")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .missingAnswer && error.message.contains("secret"), "\(error)")
        }

        @Test func aFieldWithoutAnAnswerIsNamed() async throws {
            let bench = try bench(["user": "alice"])
            bench.page(
                "/start", "<p>Welcome</p><form><input name=user><input name=secret type=password><button></form>")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .missingAnswer)
            #expect(error.message.contains("\"secret\""))
            #expect(error.pageText?.contains("Welcome") == true)
        }

        @Test func aPageThatLeadsNowhereIsAnError() async throws {
            let bench = try bench(["user": "alice"])
            bench.page("/start", "<p>You are not allowed to be here.</p>")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .pageFailed)
            #expect(error.pageText == "You are not allowed to be here.")
        }

        @Test func aRefusedAnswerIsNotGivenAgain() async throws {
            let bench = try bench(["user": "alice", "password": "wrong"])
            bench.page(
                "/start",
                "<p>Unknown user.</p><form action=/start method=post><input name=user><input name=password type=password><button>Go</button></form>"
            )
            let error = try await bench.failure(bench.login())
            #expect(error.code == .answersRefused)
            #expect(error.pageText?.contains("Unknown user.") == true)
            #expect(landscape.requests(path: "/start", method: "POST").count == 1)
        }

        /// The navigation itself is checked, not the form's original action.
        @Test(arguments: [
            "<form action=/in><input name=user><button>Go</button></form>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
            "<form action=/in method=post><input name=user><button>Go</button></form>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
            "<form action=/in method=post enctype=multipart/form-data><input name=user><button>Go</button></form>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
            "<form action=/in method=post enctype=text/plain><input name=user><button>Go</button></form>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
            "<form action=/in><input name=user><button>Go</button></form><script>document.forms[0].user.oninput = "
                + "() => { const b = document.createElement('base'); b.href = 'ELSEWHERE'; document.head.append(b) }</script>",
            "<form action=/in target=w><input name=user><button>Go</button></form>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
            "<form action=/in target=f><input name=user><button>Go</button></form><iframe name=f></iframe>"
                + "<script>document.forms[0].onsubmit = () => { document.forms[0].action = 'ELSEWHERE' }</script>",
        ])
        func aScriptCannotSendAnswersElsewhere(page: String) async throws {
            let bench = try bench(["user": "al ice+&é"])
            bench.page("/start", page.replacing("ELSEWHERE", with: landscape.urlString(.main, "/taken")))
            let error = try await bench.failure(bench.login())
            #expect(error.code == .answersNotAllowed, "\(error)")
            #expect(error.message.contains(landscape.urlString(.main, "")), "\(error)")
            #expect(landscape.count(path: "/start") == 1)
            #expect(landscape.count(path: "/taken") == 0 && landscape.count(path: "/in") == 0)
        }

        /// A redirect that repeats the body, and one that does not.
        @Test(arguments: [307, 308, 303])
        func aRedirectCannotSendAnswersElsewhere(status: Int) async throws {
            let bench = try bench(["user": "alice"])
            bench.page("/start", "<form action=/in method=post><input name=user><button>Go</button></form>")
            landscape.raw.respond(
                path: "/in",
                text:
                    "HTTP/1.1 \(status) Moved\r\nLocation: \(landscape.urlString(.main, "/finish"))\r\nContent-Length: 0\r\n\r\n"
            )
            if status == 303 {
                _ = try await bench.perform(bench.login())
            } else {
                let error = try await bench.failure(bench.login(to: "/other"))
                #expect(error.code == .answersNotAllowed, "\(error)")
            }
            #expect(landscape.requests(path: "/in", method: "POST").count == 1)
            #expect(landscape.count(path: "/finish") == 0)
        }

        @Test(arguments: [true, false])
        func answersStayAtTheirOrigins(pageIsForeign: Bool) async throws {
            let bench = try bench(["user": "alice"], origins: [pageIsForeign ? .main : .raw])
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
#endif
