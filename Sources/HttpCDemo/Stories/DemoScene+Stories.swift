import Foundation
import HttpC
import HttpCTerminal
import TestLandscape

/// The stories: commands as a person types them, and their output.
extension DemoScene {
    #if os(Linux)
    static let stories: [DemoScene] = [
        DemoScene(
            name: "password", title: "A password",
            explanation:
                "The server takes Basic and three kinds of Digest. httpc asks for the password, answers by the "
                + "strongest, and -v shows each step without a secret.",
            isStory: true, play: password),
        DemoScene(
            name: "saml2", title: "SAML2 in a terminal",
            explanation: "Each question names the server that asks. The second command asks nothing.",
            isStory: true, play: saml2),
        DemoScene(
            name: "oauth2", title: "OAuth2 in the browser",
            explanation: "httpc opens the login in the browser and waits for its answer. Access and refresh token are "
                + "kept for the next command.",
            isStory: true, play: oauth2),
        DemoScene(
            name: "script", title: "A script, where nobody can be asked",
            explanation:
                "SAML2 and a one-time code. httpc says what it needs and ends with 67; with answers in the "
                + "environment it logs in.",
            isStory: true, play: script),
        DemoScene(
            name: "secrets", title: "What is yours stays where you sent it",
            explanation:
                "A redirect leads to another server. The key was for the first one, and the second never sees it.",
            isStory: true, play: secrets),
    ]

    /// Stories that need more than a screen of 24 rows.
    static let longStories: [DemoScene] = [
        DemoScene(
            name: "init", title: "From nothing to a profile",
            explanation: "httpc init finds out which login a URL wants and asks for the rest.", isStory: true,
            play: initialise)
    ]

    private static func initialise(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            let before = stage.landscape.samlCounters.logins
            let url = stage.landscape.urlString(.main, "/saml/redirect-post/report")
            try await shell.run(
                "init", url,
                answers: [
                    ("Name of the profile [local]: ", "portal"), ("]: ", ""), ("log in? (yes/no): ", "yes"),
                    ("Number [1]: ", "2"), ("[yes]: ", ""), ("User name: ", "alice"), ("Password: ", "wonderland"),
                ])
            try await shell.run("-o", "report.json", url)
            try DemoFailure.unless(shell.file("report.json").contains("\"user\":\"alice\""), "it is not for alice")
            let logins = stage.landscape.samlCounters.logins - before
            try DemoFailure.unless(logins == 1, "the identity provider counts \(logins) logins")
            let profile = shell.file(".config/httpc/config.toml")
            try DemoFailure.unless(profile.contains("[profiles.portal.saml2]"), "the profile is not for SAML2")
            return "The profile is there, and the report came without a question."
        }
    }

    private static func password(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            let url = stage.landscape.urlString(.main, "/digest/all/report")
            let outcome = try await shell.run(
                "-v", "-u", "alice", "-o", "report.json", url, answers: [("): ", "wonderland")])
            for part in ["\"user\":\"alice\"", "\"scheme\":\"Digest SHA-512-256\""] {
                try DemoFailure.unless(shell.file("report.json").contains(part), "the report has no \(part)")
            }
            try DemoFailure.unless(!outcome.text.contains("wonderland"), "the password was shown")
            let sent = stage.landscape.requests(path: "/digest/all/report").flatMap { $0.values(of: "Authorization") }
            try DemoFailure.unless(!sent.contains { !$0.hasPrefix("Digest ") }, "the password itself was sent")
            return "Alice is in by the strongest Digest; her password was not sent."
        }
    }

    private static func saml2(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            let before = stage.landscape.samlCounters.logins
            try shell.configure(portal(stage, "saml"))
            let url = stage.landscape.urlString(.main, "/saml/post-post/report")
            try await shell.run(
                "-o", "report.json", url, answers: [("User name: ", "alice"), ("Password: ", "wonderland")])
            try await shell.run("-o", "again.json", url)
            for name in ["report.json", "again.json"] {
                try DemoFailure.unless(shell.file(name).contains("\"user\":\"alice\""), "\(name) is not for alice")
            }
            let logins = stage.landscape.samlCounters.logins - before
            try DemoFailure.unless(logins == 1, "the identity provider counts \(logins) logins")
            return "Two reports for alice, and the login server counts one login."
        }
    }

    private static func oauth2(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            let landscape = stage.landscape
            let before = landscape.oauthCounters
            try shell.configure(
                """
                [profiles.shop]
                match = ["\(landscape.urlString(.main, "/api/"))"]
                [profiles.shop.oauth2]
                issuer = "\(landscape.issuer(.main))"
                client-id = "native"
                """)
            let url = landscape.urlString(.main, "/api/orders")
            let person = DemoPerson(over: stage.transport)
            try await shell.run("-o", "orders.json", url) { line in
                guard let address = line.firstMatch(of: /https?:\/\/\S+\/authorize\?\S+/) else { return }
                shell.say("in the browser, alice logs in and allows it")
                let page = try await person.visit(String(address.0))
                try DemoFailure.unless(page.status == .ok, "the browser shows \(page.status.code)")
            }
            try await shell.run("-o", "again.json", url)
            for name in ["orders.json", "again.json"] {
                try DemoFailure.unless(shell.file(name).contains("\"user\":\"alice\""), "\(name) is not for alice")
            }
            let logins = landscape.oauthCounters.logins - before.logins
            try DemoFailure.unless(logins == 1, "the server counts \(logins) logins")
            return "Two answers for alice, who logged in once."
        }
    }

    private static func script(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            try shell.configure(
                portal(stage, "otp"), summary: "the profile of httpc demo saml2, with an empty [profiles.portal.otp]")
            let url = stage.landscape.urlString(.main, "/otp/saml/report")
            try await shell.run("-o", "report.json", url, isAttended: false, expecting: .loginFailed)
            try DemoFailure.unless(shell.file("report.json").isEmpty, "there is a report without a login")
            let robot = stage.robot()
            defer { stage.landscape.removeUser(robot.name) }
            try await shell.run(
                "-o", "report.json", "--answer-env", "user=NAME", "--answer-env", "password=PASSWORD", "--answer-totp",
                "passcode=OTP", url,
                environment: ["NAME": robot.name, "PASSWORD": robot.password, "OTP": robot.totpSecret ?? ""],
                isAttended: false)
            for part in ["\"user\":\"\(robot.name)\"", "\"OTP\""] {
                try DemoFailure.unless(shell.file("report.json").contains(part), "the report has no \(part)")
            }
            return "The report is the robot's, by two factors, and nobody was asked."
        }
    }

    private static func secrets(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        try await DemoShell.open(stage, timeline) { shell in
            let landscape = stage.landscape
            let (start, end) = ("/redirect/to/other", "/echo")
            try await shell.run(
                "-v", "-o", "page.json", "-H", "X-API-Key: $KEY", landscape.urlString(.main, "\(start)?path=\(end)"),
                environment: ["KEY": "demo-key"])
            let sent = landscape.requests(path: start).flatMap { $0.values(of: "X-API-Key") }
            try DemoFailure.unless(sent.contains("demo-key"), "the key did not arrive where it was sent")
            let arrived = landscape.requests(path: end, origin: .other)
            try DemoFailure.unless(!arrived.isEmpty, "nothing arrived at the second server")
            let leaked = arrived.contains { !$0.values(of: "X-API-Key").isEmpty }
            try DemoFailure.unless(!leaked, "the key went to the second server")
            return "Both servers were asked; the key reached the first one only."
        }
    }

    /// A profile for SAML2 at the main origin.
    private static func portal(_ stage: DemoStage, _ path: String) -> String {
        let places = [stage.landscape.urlString(.main, ""), stage.landscape.identityProvider()]
        return """
            [profiles.portal]
            match = ["\(places[0])/\(path)/"]
            answer-origins = ["\(places[0])", "\(places[1])"]
            [profiles.portal.saml2]
            finish-endpoint = "/SAMLAuthLauncher"
            finish-parameter = "finishEndpointParam"
            """ + (path == "otp" ? "\n[profiles.portal.otp]" : "")
    }
    #else
    // The stories' terminals are implemented for Linux.
    static let stories: [DemoScene] = []
    static let longStories: [DemoScene] = []
    #endif
}
