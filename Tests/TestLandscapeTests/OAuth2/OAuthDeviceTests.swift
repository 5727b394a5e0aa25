import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuthDeviceTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func begin(_ person: OAuthPerson) async throws -> OAuthAnswer {
        try await person.post(["client_id": "tv", "scope": "read"], to: "/oauth2/device_authorization")
    }

    private static func poll(_ person: OAuthPerson, _ codes: OAuthAnswer) async throws -> OAuthAnswer {
        try await person.post([
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "tv",
            "device_code": codes.text("device_code") ?? "",
        ])
    }

    @Test func pollsUntilSomebodyApproves() async throws {
        let person = try OAuthPerson(landscape)
        #expect(try await Self.begin(person).json["interval"] as? Int == 5)
        // On a busy machine two requests may be five seconds apart.
        landscape.oauthRule.deviceInterval = .seconds(60)
        let codes = try await Self.begin(person)
        #expect(codes.json["interval"] as? Int == 60 && codes.json["expires_in"] as? Int == 300)
        let userCode = try #require(codes.text("user_code"))
        #expect(codes.text("verification_uri_complete") == landscape.issuer() + "/device?user_code=" + userCode)
        #expect(try await Self.poll(person, codes).error == "authorization_pending")
        #expect(try await Self.poll(person, codes).error == "slow_down")
        landscape.clock.advance(by: .seconds(40))
        #expect(try await Self.poll(person, codes).error == "slow_down")
        landscape.clock.advance(by: .seconds(75))
        #expect(try await Self.poll(person, codes).error == "authorization_pending")
        try await Self.approve(userCode.lowercased().filter { $0 != "-" }, person)
        landscape.clock.advance(by: .seconds(75))
        let tokens = try await Self.poll(person, codes)
        #expect(tokens.status == 200)
        #expect(try await person.status(tokens.text("access_token")) == 200)
        #expect(try await person.refresh(tokens.text("refresh_token"), client: "tv").status == 200)
        #expect(try await Self.poll(person, codes).error == "invalid_grant")
        #expect(landscape.oauthCounters.slowDowns == 2)
    }

    /// The steps of a user: the code, the login, the consent.
    private static func approve(_ userCode: String, _ person: OAuthPerson) async throws {
        #expect(try await person.open("/oauth2/device").body.contains(#"name="user_code""#))
        let form = try await person.open("/oauth2/device", ["user_code": userCode])
        let repeated = try await person.logIn(form, password: "wrong", path: "/oauth2/device")
        let question = try await person.logIn(repeated, path: "/oauth2/device")
        #expect(question.body.contains("tv asks for: read."))
        let answers = ["csrf": question.csrf ?? "", "consent": "allow"]
        #expect(try await person.submit("/oauth2/device", answers).body.contains("Return to your device."))
        #expect(try await person.submit("/oauth2/device", answers).status == 403)
        #expect(try await person.open("/oauth2/device", ["user_code": userCode]).body.contains("no such code"))
    }

    @Test func personDeniesDevice() async throws {
        let person = try OAuthPerson(landscape)
        let codes = try await Self.begin(person)
        let form = try await person.open("/oauth2/device", ["user_code": codes.text("user_code") ?? ""])
        let question = try await person.logIn(form, path: "/oauth2/device")
        _ = try await person.submit("/oauth2/device", ["csrf": question.csrf ?? "", "consent": "deny"])
        #expect(try await Self.poll(person, codes).error == "access_denied")
        let second = try await Self.begin(person)
        #expect(landscape.denyDevice(userCode: second.text("user_code") ?? ""))
        #expect(try await Self.poll(person, second).error == "access_denied")
    }

    @Test func deviceCodeExpires() async throws {
        let person = try OAuthPerson(landscape)
        let codes = try await Self.begin(person)
        landscape.clock.advance(by: .seconds(301))
        #expect(!landscape.approveDevice(userCode: codes.text("user_code") ?? ""))
        #expect(try await Self.poll(person, codes).error == "expired_token")
        let fresh = try await Self.begin(person)
        #expect(landscape.approveDevice(userCode: fresh.text("user_code") ?? ""))
        #expect(try await Self.poll(person, fresh).status == 200)
        let native = try await person.post(["client_id": "native"], to: "/oauth2/device_authorization")
        #expect(native.error == "unauthorized_client")
    }
}
