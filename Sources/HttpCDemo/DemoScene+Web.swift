import HttpC
import TestLandscape

/// Scenes with logins on web pages: SAML2, and a second factor.
extension DemoScene {
    static let web: [DemoScene] = [
        signOn("saml2-post", "SAML2, POST", "the request in a form, the response in a form", variant: "post-post"),
        signOn(
            "saml2-redirect", "SAML2, Redirect", "the request in a redirect, the response in a form",
            variant: "redirect-post"),
        signOn(
            "saml2-artifact", "SAML2, Artifact", "the servers exchange the response themselves",
            variant: "redirect-artifact"),
        secondFactor(
            "otp-basic", "Basic, then a one-time code", path: "/otp/basic/page", pages: 1, "alice", "wonderland"),
        secondFactor(
            "otp-saml2", "SAML2, then a one-time code", path: "/otp/saml/page", pages: 2, "bob", "builder's \"secret\""),
        site("form", "A login form", "the page is the server's own; the login ends when the resource answers"),
        site("oidc", "OpenID Connect at a relying party", "the server asks the identity provider itself"),
        DemoScene(
            name: "one-saml2-login", title: "50 at once, one SAML2 login",
            explanation: "the session has ended, one login is shown",
            isCrowd: true, play: signOnOfMany),
        DemoScene(
            name: "csrf", title: "CSRF tokens", explanation: "a service wants one with each change: it is fetched once",
            play: csrf),
    ]

    private static func signOn(
        _ name: String, _ title: String, _ explanation: String, variant: String
    ) -> DemoScene {
        DemoScene(name: name, title: title, explanation: explanation) { stage, timeline in
            let before = stage.landscape.samlCounters.logins
            let reader = DemoReader("alice", "wonderland", at: stage.landscape)
            let manager = try stage.manager(timeline, reader, variant: variant)
            var user = ""
            for path in ["first", "second"] {
                let response = try await manager.data(for: stage.request(.main, "/saml/\(variant)/\(path)"))
                user = try DemoStage.member("user", of: response)
            }
            let logins = stage.landscape.samlCounters.logins - before
            try DemoFailure.unless(user == "alice", "the server took us for \(user)")
            try DemoFailure.unless(logins == 1, "the identity provider counts \(logins) logins")
            return "the server knows \(user), who logged in once for two requests"
        }
    }

    private static func site(_ name: String, _ title: String, _ explanation: String) -> DemoScene {
        DemoScene(name: "web-login-\(name)", title: title, explanation: explanation) { stage, timeline in
            let before = stage.landscape.siteCounters.logins
            let reader = DemoReader("alice", "wonderland", at: stage.landscape)
            var login = CommonAuthenticationConfigurator.webLogin(for: stage.landscape.urlString())
            login.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: reader))
            let manager = stage.manager(timeline, login)
            var user = ""
            for path in ["first", "second"] {
                let response = try await manager.data(for: stage.request(.main, "/site/\(name)/\(path)"))
                user = try DemoStage.member("user", of: response)
            }
            let logins = stage.landscape.siteCounters.logins - before
            try DemoFailure.unless(user == "alice", "the server took us for \(user)")
            try DemoFailure.unless(logins == 1, "the server counts \(logins) logins")
            return "the server knows \(user), who logged in once for two requests"
        }
    }

    private static func secondFactor(
        _ name: String, _ title: String, path: String, pages: Int, _ user: String, _ password: String
    ) -> DemoScene {
        DemoScene(name: name, title: title, explanation: "the server redirects to a form that wants a code") {
            stage, timeline in
            let reader = DemoReader(user, password, at: stage.landscape)
            let manager = try stage.manager(timeline, reader, DemoProvider(user, password))
            let response = try await manager.data(for: stage.request(.main, path))
            let known = try DemoStage.member("user", of: response)
            try DemoFailure.unless(known == user, "the server took us for \(known)")
            try DemoFailure.unless(reader.pages == pages, "\(reader.pages) pages were shown")
            return "the server knows \(known) by two factors"
        }
    }

    private static func signOnOfMany(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let reader = DemoReader("alice", "wonderland", at: stage.landscape)
        let manager = try stage.manager(timeline, reader)
        _ = try await manager.data(for: stage.request(.main, "/saml/post-post/crowd"))
        stage.landscape.expireSAMLSessions()
        let before = stage.landscape.samlCounters.logins
        let requests = try (0..<50).map { try stage.request(.main, "/saml/post-post/crowd/\($0)") }
        let good = await withTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask {
                    guard let response = try? await manager.data(for: request) else { return false }
                    return (try? DemoStage.member("user", of: response)) == "alice"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let logins = stage.landscape.samlCounters.logins - before
        try DemoFailure.unless(good == requests.count, "\(good) of \(requests.count) got their page")
        try DemoFailure.unless(logins == 1, "the identity provider counts \(logins) logins")
        return "\(good) pages, one login"
    }

    private static func csrf(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.csrfCounters
        let manager = stage.manager(timeline)
        for path in ["first", "second"] {
            let response = try await manager.data(
                for: stage.request(.main, "/csrf/orders/\(path)", method: .post), body: .text("an order"))
            try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        }
        let fetches = stage.landscape.csrfCounters.fetches - before.fetches
        try DemoFailure.unless(fetches == 1, "the server counts \(fetches) fetches")
        return "two changes, one token"
    }
}
