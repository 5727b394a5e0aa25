#if os(Linux)
import Foundation
import HttpConversation
import LandscapeSupport
import TestLandscape
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Forms that only scripts send: without names, without a button, or without a form.
    @Suite(.landscape) struct ScriptFormTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        private func bench(_ answers: [String: String], stallLimit: Duration = .seconds(3)) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(
                answers.mapValues { .text($0) }, origins: [landscape.url(.raw, "/")])
            bench.options.stallLimit = stallLimit
            return bench
        }

        /// A script that posts the values of all fields to `/in?`, and then goes on or stays.
        private func script(_ body: String, then: String = "location = '/finish'") -> String {
            """
            <script>
            const values = () => Array.from(document.querySelectorAll('input, textarea')).map(field => field.value);
            const send = async () => {
              await (await fetch('/in?' + values().join(), { method: 'POST' })).text();
              \(then)
            };
            const key = event => { if (event.keyCode === 13) send() };
            const find = selector => document.querySelector(selector);
            \(body)
            </script>
            """
        }

        /// The values that were posted to `/in`.
        private var sent: [String] {
            landscape.requests(path: "/in", method: "POST").map { String($0.target.dropFirst("/in?".count)) }
        }

        private static let octoPrint = """
            <form id=f><input id=login-user type=text><input id=login-password type=password>
            <button id=go class=btn-danger>Log in</button></form>
            """
        private static let octoPrintScript = "find('#f').onsubmit = event => { event.preventDefault(); send() }"

        private static let notice =
            "<div><p>This site uses cookies.</p><div><button type=button>OK</button></div></div>"

        @Test(arguments: [
            // OctoPrint, Cockpit, Gradio, Deluge, and one that puts its button beside the form.
            (octoPrint, octoPrintScript, ["login-user": "alice", "login-password": "secret"]),
            (
                "<form onsubmit='return false'><input id=user><input id=pass type=password><button type=button>Log in"
                    + "</button></form>", "find('button').onclick = send", ["user": "alice", "pass": "secret"]
            ),
            (
                "<textarea autocomplete=username></textarea><input type=password><button>Login</button>",
                "find('button').onclick = send", ["username": "alice", "password": "secret"]
            ),
            (
                "<input id=a value=alice readonly><input id=_password type=password><button type=button>Help</button>",
                "find('#_password').onkeydown = key", ["_password": "secret"]
            ),
            (
                "<form><input type=email id=identifierId><input type=password></form><div role=button>Next</div>",
                "find('[role=button]').onclick = send", ["identifierId": "alice", "password": "secret"]
            ),
            // A notice about cookies, beside a form that the Enter key sends and beside one with a button.
            (
                "<form onsubmit='return false'><input id=user><input id=pass type=password></form>\(notice)",
                "find('#pass').onkeydown = key", ["user": "alice", "pass": "secret"]
            ),
            (
                "<div><input id=user><input id=pass type=password><button id=go type=button>Log in</button></div>"
                    + notice, "find('#go').onclick = send", ["user": "alice", "pass": "secret"]
            ),
            // The button of the login itself has the words about cookies beside it.
            (
                "<div><input id=user><input id=pass type=password></div>"
                    + "<div><p>The login sets cookies.</p><button id=go type=button>Log in</button></div>",
                "find('#go').onclick = send", ["user": "alice", "pass": "secret"]
            ),
            // A field that hides its form's own property.
            (
                "<form><output name=parentElement></output><button type=button form=none>Menu</button></form>"
                    + "<div><input id=user><input id=pass type=password><button id=go type=button>Log in</button></div>",
                "find('#go').onclick = send", ["user": "alice", "pass": "secret"]
            ),
        ])
        func isSentOnce(html: String, body: String, answers: [String: String]) async throws {
            let bench = try bench(answers)
            bench.page("/start", html + script(body))
            bench.page("/in", "")
            _ = try await bench.perform(bench.login())
            #expect(sent == ["alice,secret"])
        }

        /// A form whose fields have no names is not taken for a page that leads on.
        @Test(arguments: [octoPrint, octoPrint.replacing("id=login-", with: "data-name=")])
        func isNotSentEmpty(html: String) async throws {
            let bench = try bench(["other": "x"], stallLimit: .seconds(1))
            bench.page("/start", html + script(Self.octoPrintScript, then: ""))
            bench.page("/in", "")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .missingAnswer && error.message.contains("password\""), "\(error)")
            #expect(landscape.count(path: "/start") == 1 && sent.isEmpty)
        }

        /// The fields of web components are not filled in, and the message says so.
        @Test func fieldsOfWebComponentsAreNamed() async throws {
            let bench = try bench(["user": "alice"], stallLimit: .seconds(1))
            let inner = "inner.attachShadow({ mode: 'open' }).innerHTML = '<form><input name=user></form>'"
            bench.page(
                "/start",
                "<div id=outer></div>"
                    + script(
                        "const root = find('#outer').attachShadow({ mode: 'open' });"
                            + "const inner = document.createElement('div'); root.append(inner); \(inner)"))
            let error = try await bench.failure(bench.login())
            #expect(error.code == .pageFailed && error.message.contains("shadow roots"), "\(error)")
            #expect(landscape.count(path: "/start") == 1 && sent.isEmpty)
        }

        /// The boxes for the digits of a code have no names that an answer could be for.
        @Test func isNotLeftWhileItHasUnknownFields() async throws {
            let bench = try bench([:], stallLimit: .seconds(1))
            let box = "<input maxlength=1>"
            bench.page(
                "/start", "<form>\(box)\(box)<button>Continue</button></form>" + script("find('form').onsubmit = send"))
            let error = try await bench.failure(bench.login())
            #expect(error.code == .pageFailed, "\(error)")
            #expect(landscape.count(path: "/start") == 1 && sent.isEmpty)
        }

        /// A refused login is given once, and its reason is on the page at once.
        @Test func isReportedAsRefusedWithoutAWait() async throws {
            var bench = try bench(["login-user": "alice", "login-password": "wrong"], stallLimit: .seconds(600))
            bench.options.timeLimit = .seconds(60)
            let alert = "document.body.insertAdjacentHTML('beforeend', '<p role=alert>Unknown user</p>')"
            bench.page("/start", Self.octoPrint + script(Self.octoPrintScript, then: alert))
            bench.page("/in", "")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .answersRefused && error.pageText == "Unknown user", "\(error)")
            #expect(sent == ["alice,wrong"])
        }

        /// A message that the page is at work is no refusal.
        @Test func isNotRefusedWhileARequestIsOnItsWay() async throws {
            let bench = try bench(["login-user": "alice", "login-password": "secret"], stallLimit: .seconds(600))
            let begin = "document.body.insertAdjacentHTML('beforeend', '<p role=alert>Please wait</p>');"
            bench.page(
                "/start",
                Self.octoPrint
                    + script("find('#f').onsubmit = event => { event.preventDefault(); send(); \(begin) }"))
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            landscape.raw.respond(path: "/in", script: WireScript([.pause(.seconds(4)), .bytes(Array(answer.utf8))]))
            _ = try await bench.perform(bench.login())
            #expect(sent == ["alice,secret"])
        }

        @Test func isReportedIfNothingIsSent() async throws {
            let bench = try bench(["user": "alice"])
            bench.page("/start", "<input id=user><div role=button>Sign me up</div>" + script(""))
            let error = try await bench.failure(bench.login())
            #expect(error.code == .pageFailed && error.message.contains("sent nothing"), "\(error)")
        }

        /// The key is for the field, whatever has the focus, and its request is held like any other.
        @Test func theEnterKeySendsAnswersToTheirOriginOnly() async throws {
            let bench = try bench(["_password": "secret"])
            let taken = landscape.urlString(.main, "/taken")
            bench.page(
                "/start",
                "<input id=_password type=password><iframe src=/frame></iframe>"
                    + script(
                        """
                        find('input').oninput = () => { find('iframe').focus(); frames[0].focus() };
                        find('input').onkeydown = event => {
                          if (event.keyCode !== 13) return;
                          send();
                          fetch('\(taken)', { method: 'POST', mode: 'no-cors', body: values().join() });
                        };
                        """, then: ""))
            bench.page(
                "/frame", "<button autofocus onclick=\"fetch('/consent', { method: 'POST' })\">I accept</button>")
            bench.page("/in", "")
            _ = try await bench.failure(bench.login())
            #expect(sent == ["secret"])
            #expect(landscape.count(path: "/taken") == 0)
            #expect(landscape.count(path: "/frame") == 1 && landscape.count(path: "/consent") == 0)
        }

        // MARK: Buttons

        private static let press =
            "for (const b of document.querySelectorAll('button, input, [role=button]')) "
            + "b.onclick = () => { location = '/' + (b.value || b.innerText) }"

        /// A question whether to remember the device is refused, also by a button for scripts (Entra).
        @Test(arguments: [
            "<form method=post action=/yes><input type=button value=No><input type=submit value=Yes></form>",
            "<button type=button>Yes</button><button type=button>No</button>",
        ])
        func aReminderIsRefused(buttons: String) async throws {
            let bench = try bench([:])
            bench.page("/start", "<h1>Stay signed in?</h1>\(buttons)" + script(Self.press))
            bench.redirect("/No", to: "/finish")
            _ = try await bench.perform(bench.login())
            #expect(landscape.count(path: "/yes") == 0 && landscape.count(path: "/Yes") == 0)
        }

        /// The only button leads on, also one for scripts (Gluu), but never twice.
        @Test func theSamePageIsLeftOnce() async throws {
            let bench = try bench([:])
            bench.page("/start", "<button>Continue</button>" + script("find('button').onclick = send", then: ""))
            bench.page("/in", "")
            #expect(try await bench.failure(bench.login()).code == .pageFailed)
            #expect(sent.count == 1)
        }

        /// A choice between buttons is made by an answer only, which names one by its label or id (Glewlwyd).
        @Test(arguments: [[:], ["Continue": "Continue"], ["go": "Continue"]])
        func aChoiceIsMadeByAnAnswer(answers: [String: String]) async throws {
            let bench = try bench(answers)
            bench.page(
                "/start",
                "<p>Welcome</p><button type=button class=btn-danger>Logout</button><button type=button id=go>Continue"
                    + "</button><button type=button>Manage</button>" + script(Self.press))
            bench.redirect("/Continue", to: "/finish")
            if answers.isEmpty {
                let error = try await bench.failure(bench.login())
                #expect(error.code == .missingAnswer, "\(error)")
                #expect(error.message.contains("\"Continue\"") && error.message.contains("LABEL=LABEL"), "\(error)")
                #expect(error.pageText?.contains("Welcome") == true && error.missingFields.isEmpty)
            } else {
                _ = try await bench.perform(bench.login())
            }
            #expect(landscape.count(path: "/Continue") == (answers.isEmpty ? 0 : 1))
            #expect(landscape.count(path: "/Logout") == 0 && landscape.count(path: "/Manage") == 0)
        }

        /// No answer for a field presses a button, whatever the page calls it.
        @Test(arguments: [
            "<button type=button id=password>I accept</button>", "<button type=button name=password>I accept</button>",
            "<div role=button>password</div><button type=button>No</button>",
            "<button type=button>I accept</button>", "<a role=button href='#'>Delete my account</a>",
            "<button type=button>Continue</button><button type=button>Cancel</button>",
        ])
        func aButtonThatDecidesIsNotPressed(buttons: String) async throws {
            let bench = try bench(["password": "secret"], stallLimit: .seconds(1))
            bench.page(
                "/start",
                buttons + script("for (const b of document.querySelectorAll('button, [role=button]')) b.onclick = send")
            )
            bench.page("/in", "")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .missingAnswer, "\(error)")
            #expect(landscape.count(path: "/start") == 1 && sent.isEmpty)
        }
    }
}
#endif
