import Foundation
import LandscapeSupport
import TestSupport
import Testing

// Serialized, because each test sends many requests, and all of them at once would delay each other.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct OTPTests {
    private let landscape: Landscape
    private let person: SAMLPerson

    init() throws {
        landscape = try .current
        person = try SAMLPerson(landscape)
    }

    private static let basic = ["-u", "alice:wonderland"]

    /// The checked challenge of a request.
    private static func challenge(
        _ person: SAMLPerson, _ path: String, _ arguments: [String] = basic
    ) async throws -> String {
        let answer = try await person.open(path, arguments).answer
        #expect(answer.status == 302 && answer["x-smp-authentication"] == "otp-challenge", "\(answer)")
        return try #require(answer["location"])
    }

    @Test(arguments: ["basic", "bearer", "saml", "saml-redirect-artifact", "basic-elsewhere"], [true, false])
    func bothFactorsOpenTheResource(variant: String, toOriginal: Bool) async throws {
        let path = "/otp/\(variant)/page?a=b"
        var arguments = Self.basic
        if variant == "bearer" {
            let token = try #require(landscape.issueTokens(client: "native")).accessToken
            arguments = ["-H", "Authorization: Bearer \(token)"]
            #expect(try await person.open(path).answer.status == 401)
        } else if variant.hasPrefix("saml") {
            arguments = []
            func isChallenge(_ page: SAMLPerson.Page) -> Bool { page.answer["x-smp-authentication"] != nil }
            _ = try await person.logIn(try await person.start(path), until: isChallenge)
        } else {
            #expect(try await person.open(path).answer.status == 401)
        }
        let location = try await Self.challenge(person, path, arguments)
        let origin = variant == "basic-elsewhere" ? LandscapeOrigin.other : .main
        #expect(location.hasPrefix(landscape.urlString(origin, "/otpform/\(variant)?")))
        let form = try await person.request(location + (toOriginal ? "" : "&redirecttooriginalurl=false"))
        let end = try await person.submit(form, ["passcode": try #require(landscape.passcode())])
        #expect(end.answer.status == 303)
        let finished = landscape.urlString(origin, "/otpform/\(variant)?finished=true")
        #expect(end.answer["location"] == (toOriginal ? landscape.urlString(.main, path) : finished))
        let page = try await person.open(path, arguments)
        #expect(page.user == "alice" && (page.answer.json["factors"] as? [String])?.last == "OTP")
        let counters = landscape.otpCounters
        #expect(counters.accepted == 1 && counters.forms == 1 && counters.wrong == 0)
        landscape.expireOTPSessions()
        _ = try await Self.challenge(person, path, arguments)
    }

    @Test func bothFactorsBelongToOneUser() async throws {
        let form = try await person.request(try await Self.challenge(person, "/otp/basic/page"))
        _ = try await person.submit(form, ["passcode": try #require(landscape.passcode())])
        #expect(try await person.open("/otp/basic/page", Self.basic).user == "alice")
        _ = try await Self.challenge(person, "/otp/basic/page", ["-u", "bob:builder's \"secret\""])
        // A user without a secret gets the form, and every code is refused.
        let carol = try SAMLPerson(landscape)
        landscape.addUser("dave", password: "d")
        let hopeless = try await carol.request(
            try await Self.challenge(carol, "/otp/basic/page", ["-u", "dave:d"]))
        let page = try await carol.submit(hopeless, ["passcode": "000000"])
        #expect(page.answer.body.contains("This code is wrong."))
    }

    @Test func aBrowserWithoutTheFirstFactorIsRefused() async throws {
        let location = try await Self.challenge(person, "/otp/basic/page")
        let stranger = try SAMLPerson(landscape)
        #expect(try await stranger.request(location).answer.status == 403)
        let form = try await person.request(location)
        let stolen = try await stranger.submit(form, ["passcode": try #require(landscape.passcode())])
        #expect(stolen.answer.status == 403)
        // A token of another user's form is refused.
        let bob = try SAMLPerson(landscape)
        let arguments = ["-u", "bob:builder's \"secret\""]
        _ = try await bob.request(try await Self.challenge(bob, "/otp/basic/page", arguments))
        let mixed = try await bob.submit(form, ["passcode": try #require(landscape.passcode(of: "bob"))])
        #expect(mixed.answer.status == 403)
        #expect(landscape.otpCounters.strangers == 2 && landscape.otpCounters.accepted == 0)
        let strict = try await Self.challenge(person, "/otp/basic-strict/page")
        #expect(try await person.request(strict).answer.status == 401)
        #expect(try await person.request(strict, Self.basic).form != nil)
    }

    @Test func aCodeWorksOnce() async throws {
        let location = try await Self.challenge(person, "/otp/basic/page")
        let code = try #require(landscape.passcode())
        let first = try await person.request(location)
        let wrong = try await person.submit(first, ["passcode": code == "123456" ? "654321" : "123456"])
        #expect(wrong.answer.status == 200 && wrong.answer.body.contains("This code is wrong."))
        #expect(try await person.submit(first, ["passcode": code]).answer.status == 403)
        #expect(try await person.submit(wrong, ["passcode": code]).answer.status == 303)
        landscape.expireOTPSessions()
        let again = try await person.submit(try await person.request(location), ["passcode": code])
        #expect(again.answer.status == 200 && again.answer.body.contains("has been used"))
        landscape.clock.advance(by: .seconds(30))
        let next = try #require(landscape.passcode())
        #expect(next != code)
        #expect(try await person.submit(again, ["passcode": next]).answer.status == 303)
        // A code that is older than a used one is refused.
        landscape.clock.advance(by: .seconds(60))
        let skipped = try #require(landscape.passcode())
        landscape.clock.advance(by: .seconds(90))
        let late = try await person.submit(try await person.request(location), ["passcode": skipped])
        #expect(late.answer.body.contains("This code is wrong."))
        let counters = landscape.otpCounters
        #expect(counters.accepted == 2 && counters.wrong == 2 && counters.repeated == 1)
    }

    @Test func triesAfterAFailureAreThrottled() async throws {
        landscape.otpRule.throttle = .seconds(1000)
        let location = try await Self.challenge(person, "/otp/basic/page")
        var page = try await person.submit(try await person.request(location), ["passcode": "x"])
        page = try await person.submit(page, ["passcode": try #require(landscape.passcode())])
        #expect(page.answer.status == 200 && page.answer.body.contains("Too many tries."))
        landscape.clock.advance(by: .seconds(1001))
        let renewed = try await person.request(try await Self.challenge(person, "/otp/basic/page"))
        let end = try await person.submit(renewed, ["passcode": try #require(landscape.passcode())])
        #expect(end.answer.status == 303)
        #expect(landscape.otpCounters.throttled == 1)
    }

    @Test func thePageLinksToTheAuthenticator() async throws {
        landscape.otpRule.callbackScheme = "com.example.test.xcallbackurl"
        let form = try await person.request(try await Self.challenge(person, "/otp/basic/page"))
        let link = try #require(HTMLForm.matches("href=\"(sapauthenticator:[^\"]*)\"", form.answer.body).first?[1])
        let items = URLComponents(string: link.replacingOccurrences(of: "&amp;", with: "&"))?.queryItems
        #expect(items?.first { $0.name == "x-success" }?.value == "com.example.test.xcallbackurl://passcode")
        #expect(items?.first { $0.name == "account" }?.value == "alice@landscape")
    }

    @Test func theFormLeadsNowhereElse() async throws {
        _ = try await Self.challenge(person, "/otp/basic/page")
        let form = try await person.open("/otpform/basic?for=main&to=http%3A%2F%2Fattacker.example%2Fotp%2Fbasic")
        let end = try await person.submit(form, ["passcode": try #require(landscape.passcode())])
        #expect(end.answer["location"] == landscape.urlString(.main, "/otpform/basic?finished=true"))
    }

    /// The current code of a user, and the second within its period.
    private static func current(_ landscape: Landscape, _ user: String) throws -> (code: String, seconds: Int) {
        while true {
            let before = Int(landscape.clock.date.timeIntervalSince1970)
            let code = try #require(landscape.passcode(of: user))
            if before / 30 == Int(landscape.clock.date.timeIntervalSince1970) / 30 { return (code, before) }
        }
    }

    /// The vectors of RFC 6238, appendix B, whose secret is alice's, and a comparison with Python's hmac.
    @Test func passcodesMatchRFC6238() async throws {
        let script = """
            import base64, hashlib, hmac, struct, sys
            key = base64.b32decode(sys.argv[1])
            mac = hmac.new(key, struct.pack(">Q", int(sys.argv[2]) // 30), hashlib.sha1).digest()
            at = mac[19] & 15
            print("%06d" % ((struct.unpack(">I", mac[at:at + 4])[0] & 0x7fffffff) % 1000000), end="")
            """
        for user in landscape.users {
            guard let secret = user.totpSecret else { continue }
            let (code, seconds) = try Self.current(landscape, user.name)
            let outcome = try await Program.run("/usr/bin/env", ["python3", "-c", script, secret, String(seconds)])
            #expect(outcome.text == code)
        }
        // 20000000000 seconds: the last vector.
        let now = landscape.clock.date.timeIntervalSince1970
        landscape.clock.advance(by: .seconds(20_000_000_000 - now))
        #expect(landscape.passcode() == "353130")
    }
}
