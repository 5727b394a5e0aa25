import Foundation
import LandscapeSupport
import Testing

// Serialized, because each test sends many requests, and all of them at once would delay each other.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct SAMLTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(
        arguments: ["post-post", "post-artifact", "redirect-post", "redirect-artifact"],
        [LandscapeOrigin.main, .secure])
    func allCombinationsEndWithTheResource(variant: String, origin: LandscapeOrigin) async throws {
        let person = try SAMLPerson(landscape, origin)
        let form = try await person.start("/saml/\(variant)/page?x=1")
        #expect(form.url.absoluteString.hasPrefix(landscape.identityProvider(for: origin) + "/idp/sso/plain"))
        let end = try await person.logIn(form, user: "jürgen", password: "pässwörd€")
        #expect(end.user == "jürgen" && end.answer.json["factors"] as? [String] == ["SAML2"])
        #expect(end.url == landscape.url(origin, "/saml/\(variant)/page?x=1"))
        #expect(try await person.open("/saml/redirect-post/other").user == "jürgen")
        #expect(try await person.open("/saml/\(variant)-never/other").user == nil)
        let counters = landscape.samlCounters
        #expect(counters.logins == 1 && counters.assertionsConsumed == 1 && counters.failedPasswords == 0)
        #expect(counters.artifactsResolved == (variant.hasSuffix("artifact") ? 1 : 0))
    }

    @Test(arguments: SAMLLoginStyle.allCases)
    func eachStyleOfPageLeadsToTheEnd(style: SAMLLoginStyle) async throws {
        for binding in ["post-post", "redirect-post"] {
            let person = try SAMLPerson(landscape)
            var page = try await person.start("/saml/\(binding)-\(style.rawValue)/page")
            switch style {
            case .script:
                #expect(page.form == nil && page.answer.body.contains("needs JavaScript"))
                continue
            case .split:
                page = try await person.submit(page, ["user": "alice"])
                page = try await person.follow(try await person.submit(page, ["password": "wonderland"]))
            case .consent:
                page = try await person.logIn(page)
                #expect(page.answer.body.contains("wants to know"))
                page = try await person.follow(try await person.submit(page, ["consent": "accept"]))
            case .totp:
                page = try await person.logIn(page)
                #expect(page.form?.action == "/idp/totp2fcheck")
                let again = try await person.submit(page, ["code": "000000"])
                #expect(again.answer.body.contains("not right"))
                let code = try #require(landscape.passcode())
                page = try await person.follow(try await person.submit(again, ["code": code]))
            case .multipart:
                // The search form is the first one.
                #expect(page.form?.fields["q"] == "")
                let token = try #require(
                    HTMLForm.matches("name=\"token\" value=\"([^\"]*)\"", page.answer.body).first?[1])
                let fields = ["token": token, "user": "alice", "password": "wonderland", "terms": "accepted"]
                func send(_ fields: [String: String]) async throws -> SAMLPerson.Page {
                    let arguments = fields.flatMap { ["-F", "\($0.key)=\($0.value)"] }
                    return try await person.request(
                        landscape.identityProvider() + "/idp/login/multipart", arguments)
                }
                let again = try await send(fields.merging(["account": "guest"]) { $1 })
                #expect(again.answer.body.contains("Choose the staff account"))
                let fresh = try #require(
                    HTMLForm.matches("name=\"token\" value=\"([^\"]*)\"", again.answer.body).first?[1])
                page = try await person.follow(
                    try await send(fields.merging(["account": "staff", "token": fresh]) { $1 }))
            case .unquoted:
                page = try await person.submit(page, ["j_username": "alice", "j_password": "wonderland"])
                #expect(page.answer.body.contains("Choose a domain."))
                page = try await person.logIn(page)
            default: page = try await person.logIn(page)
            }
            #expect(page.user == "alice", "\(binding) \(page.answer.body)")
            landscape.reset()
        }
    }

    @Test func aWrongPasswordShowsTheFormAgain() async throws {
        let person = try SAMLPerson(landscape)
        let form = try await person.start("/saml/post-post/page")
        let again = try await person.logIn(form, password: "wrong")
        #expect(again.answer.status == 200 && again.answer.body.contains("wrong password"))
        #expect(again.form?.fields["token"] != form.form?.fields["token"])
        // The token of the first form is used up.
        #expect(try await person.logIn(form).answer.status == 403)
        #expect(try await person.logIn(again).user == "alice")
        let counters = landscape.samlCounters
        #expect(counters.failedPasswords == 1 && counters.loginForms == 2 && counters.logins == 1)
    }

    @Test func aFormBelongsToItsBrowser() async throws {
        let form = try await SAMLPerson(landscape).start("/saml/post-post/page")
        #expect(try await SAMLPerson(landscape).logIn(form).answer.status == 403)
        #expect(landscape.samlCounters.logins == 0)
    }

    @Test func forceAuthnAsksAgain() async throws {
        let person = try SAMLPerson(landscape)
        _ = try await person.logIn(try await person.start("/saml/post-post/page"))
        landscape.expireSAMLSessions()
        // The user is still logged in at the identity provider.
        #expect(try await person.start("/saml/redirect-artifact/page").user == "alice")
        #expect(landscape.samlCounters.singleSignOns == 1 && landscape.samlCounters.loginForms == 1)
        landscape.expireSAMLSessions()
        let form = try await person.start("/saml/post-post-force/page")
        #expect(form.user == nil && form.form?.fields["password"] == "")
        #expect(try await person.logIn(form, user: "bob", password: "builder's \"secret\"").user == "bob")
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        #expect(try await person.start("/saml/post-post/page").user == nil)
    }

    @Test(arguments: [nil, "redirect-artifact"])
    func theFinishEndpointEndsWithItsParameter(variant: String?) async throws {
        let person = try SAMLPerson(landscape)
        let finish = landscape.finishEndpoint(variant: variant)
        func isEnd(_ page: SAMLPerson.Page) -> Bool {
            page.answer["location"]?.contains("finishEndpointParam=") ?? false
        }
        let form = try await person.follow(try await person.request(finish))
        let end = try await person.logIn(form, until: isEnd)
        #expect(end.answer["location"] == finish + "?finishEndpointParam=true")
        #expect(try await person.open("/saml/post-post/page").user == "alice")
        let known = try await person.request(finish + "?a=b")
        #expect(known.answer["location"] == finish + "?a=b&finishEndpointParam=true")
        #expect(try await person.follow(known).answer.status == 200)
        #expect(landscape.samlCounters.finishes == 2)
    }

    @Test func anIdentityProviderMayHaveANameOfItsOwn() async throws {
        var configuration = LandscapeConfiguration()
        configuration.extraHostNames = ["idp.localhost"]
        configuration.samlRule.identityProviderHost = "idp.localhost"
        try await withLandscape(configuration) { landscape async throws in
            let person = try SAMLPerson(landscape, .secure)
            let form = try await person.start("/saml/post-artifact/page")
            #expect(form.url.host() == "idp.localhost")
            #expect(try await person.logIn(form).user == "alice")
        }
    }

    /// A page with the words of a challenge. A byte search would find them, but a parser sees no challenge.
    @Test func aPageThatSpeaksOfRequestsIsNoChallenge() async throws {
        let person = try SAMLPerson(landscape)
        _ = try await person.logIn(try await person.start("/saml/post-post/page"))
        let page = try await person.open("/saml/post-post/about.html")
        #expect(page.answer.status == 200 && page.answer["content-type"] == "text/html; charset=utf-8")
        #expect(page.answer.body.contains("SAMLRequest") && !page.isSelfSubmitting)
        #expect(page.answer["com.sap.cloud.security.login"] == nil)
    }

    @Test func aBodyArrivesWholeAfterTheLogin() async throws {
        let person = try SAMLPerson(landscape)
        let body = try TemporaryFile("body", contents: Data(repeating: 7, count: 100_000))
        let post = ["--data-binary", "@\(body.path)"]
        #expect(try await person.open("/saml/post-post/things", post).isSelfSubmitting)
        _ = try await person.logIn(try await person.start("/SAMLAuthLauncher"))
        let answer = try await person.open("/saml/post-post/things", post).answer
        let digest = answer.json["body"] as? [String: Any]
        #expect(answer.text("method") == "POST" && digest?["length"] as? Int == 100_000)
    }
}
