import Foundation
import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: what token endpoints answer")
struct TokenResponseTests {
    private func answer(
        _ body: String, _ status: Int = 200, _ fields: HTTPFields = [:], secrets: [String] = []
    ) throws -> EndpointAnswer {
        EndpointAnswer(
            endpoint: try TargetURL("https://auth.example.com/token"), status: status, fields: fields,
            bytes: Array(body.utf8), secrets: secrets)
    }

    @Test(arguments: [
        ("3600", .seconds(3600)), ("\"3600\"", .seconds(3600)), ("\" 60 \"", .seconds(60)), ("0.5", .milliseconds(500)),
        ("-1", nil), ("0", nil), ("null", nil),
        ("\"soon\"", nil), ("\"nan\"", nil), ("true", nil), ("[]", nil), ("1e300", TokenResponse.maximumLifetime),
        ("\"inf\"", nil), ("99999999999999999999", TokenResponse.maximumLifetime),
    ])
    func lifetimes(text: String, expected: Duration?) throws {
        let response = try TokenResponse(
            answer("{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"expires_in\":\(text)}"))
        #expect(response.lifetime == expected)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(response.tokens(at: now, source: .grant).expiresAt == expected.map { now + $0 })
    }

    @Test(arguments: [
        #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"bearer"}"#,
        #"{"access_token":"a","token_type":"BearerToken"}"#,
        #"{"access_token":"a","token_type":"BEARER","scope":"x y"}"#,
        #"{"access_token":"a","token_type":"Bearer","refresh_token":null,"id_token":7,"extra":{"b":[1]}}"#,
    ])
    func tolerated(body: String) throws {
        #expect(try TokenResponse(answer(body)).accessToken.value == "a")
    }

    @Test func aBoundTokenHasItsOwnType() throws {
        let answer = try answer(#"{"access_token":"a","token_type":"BearerToken"}"#)
        let error = #expect(throws: OAuth2Error.self) { _ = try TokenResponse(answer, key: DPoPKey()) }
        #expect(error?.code == .unsupportedTokenType)
    }

    /// The time to search a long text for a long secret that it nearly contains is bounded.
    @Test(.timeLimit(.minutes(1)), arguments: ["", "ordinary text of a server "])
    func longTextsAreNotSearchedForLong(beginning: String) throws {
        let long = String(repeating: "a", count: 900 << 10)
        let body = "{\"error\":\"invalid_grant\",\"error_description\":\"\(beginning)\(long)\"}"
        let error = try #require(try answer(body, 400, secrets: [long + "b"]).refusal)
        // The rest of the text may be the beginning of the secret.
        #expect(error.serverDescription == beginning + "<redacted>")
    }

    @Test(arguments: ["access_token", "refresh_token", "id_token"]) func longTokensAreRefused(name: String) throws {
        for (length, isTaken) in [(64 << 10, true), (64 << 10 + 1, false)] {
            let token = String(repeating: "a", count: length)
            let body = name == "access_token" ? "{" : "{\"access_token\":\"a\","
            let answer = try answer("\(body)\"\(name)\":\"\(token)\"}")
            #expect(((try? TokenResponse(answer)) != nil) == isTaken)
        }
    }

    /// Secrets are removed from the server's texts, whatever characters are next to them.
    @Test(arguments: ["s3cr3t", "s3cr3t\u{301}", "x\u{200d}s3cr3t\u{20e3}y", "a%2Fs3cr3t\u{301}"])
    func secretsAreFoundByBytes(said: String) throws {
        let body = "{\"error\":\"invalid_client\",\"error_description\":\"\(said)\"}"
        let error = try #require(try answer(body, 401, secrets: ["s3cr3t", "a/s3cr3t"]).refusal)
        #expect(error.serverDescription?.unicodeScalars.contains("3") == false)
        #expect(error.serverDescription?.contains("<redacted") == true)
    }

    /// Servers encode what they repeat, each in its way.
    @Test(arguments: [
        "s3cr/t+Key=99 x", "s3cr%2Ft%2BKey%3D99+x", "s3cr%2ft%2bKey%3d99%20x", "s3cr/t%2BKey%3D99%20x",
        "s3cr/t+Key=99+x", "czNjci90K0tleT05OSB4", "s3cr/t+Key=99\\n\\t x",
    ])
    func secretsAreFoundInEachEncoding(said: String) throws {
        let body = "{\"error\":\"invalid_client\",\"error_description\":\"bad \(said)!\"}"
        let error = try #require(try answer(body, 401, secrets: ["s3cr/t+Key=99 x"]).refusal)
        #expect(error.serverDescription == "bad <redacted>!")
    }

    @Test(arguments: [
        (#"{"access_token":"a","token_type":"mac"}"#, 200, OAuth2Error.Code.unsupportedTokenType),
        (#"{"access_token":"a","token_type":"DPoP"}"#, 200, .unsupportedTokenType),
        (#"{"token_type":"Bearer"}"#, 200, .malformedResponse),
        (#"{"access_token":"","token_type":"Bearer"}"#, 200, .malformedResponse),
        (#"{"access_token":7}"#, 200, .malformedResponse),
        (#"{"access_token":"a\r\nX: y"}"#, 200, .malformedResponse),
        (#"{"access_token":"ä"}"#, 200, .malformedResponse),
        (#"["access_token"]"#, 200, .malformedResponse), ("", 200, .malformedResponse),
        ("<html>Please accept the terms</html>", 200, .malformedResponse),
        ("", 302, .malformedResponse), ("gone", 404, .malformedResponse),
        (#"{"error":"invalid_grant"}"#, 400, .invalidGrant), (#"{"error":"invalid_grant"}"#, 200, .invalidGrant),
        (#"{"error":"invalid_client"}"#, 401, .refused), (#"{"error":"access_denied"}"#, 400, .accessDenied),
        (#"{"message":"Refresh token expired"}"#, 400, .refused), (#"{"error":{"code":190}}"#, 401, .refused),
        (#"{"message":"no"}"#, 403, .malformedResponse), (#"["no"]"#, 400, .malformedResponse),
        (#"{"error":"invalid_grant"}"#, 503, .temporarilyUnavailable),
        (#"{"error":"invalid_grant"}"#, 429, .temporarilyUnavailable),
        ("<h1>Bad gateway</h1>", 502, .temporarilyUnavailable),
    ])
    func refused(body: String, status: Int, code: OAuth2Error.Code) throws {
        let answer = try answer(body, status)
        do throws(OAuth2Error) {
            _ = try TokenResponse(answer)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == code)
            #expect(error.status == status)
            #expect(error.endpoint == answer.endpoint)
        }
    }

    @Test(arguments: [
        (#"{"message":"Forbidden"}"#, 403, "answered 403 without an OAuth2 error"),
        (#"["no"]"#, 400, "answered 400 with something that is not a JSON object"),
        ("", 200, "answered 200 with something that is not a JSON object"),
    ])
    func anAnswerWithoutAnErrorIsDescribed(body: String, status: Int, text: String) throws {
        let answer = try answer(body, status)
        let error = #expect(throws: OAuth2Error.self) { _ = try TokenResponse(answer) }
        #expect(error?.message.contains(text) == true)
        #expect(error?.saysNothingOfTokens == true)
    }

    /// A refusal of the client is told from one of the tokens.
    @Test(arguments: [
        ("invalid_client", 400, true), ("unauthorized_client", 403, true), ("incorrect_client_credentials", 200, true),
        ("unauthorized", 401, true), ("unauthorized", 400, false), ("invalid_grant", 400, false),
        ("invalid_scope", 400, false),
    ])
    func aRefusedClientIsKnown(name: String, status: Int, isClient: Bool) throws {
        let error = try #require(try answer("{\"error\":\"\(name)\"}", status).refusal)
        #expect(error.refusesClient == isClient)
        #expect(!error.saysNothingOfTokens)
    }

    @Test func aPortalIsCalledByItsName() throws {
        let refusal = try #require(try answer("<html>", 404, [.contentType: "text/html"]).refusal)
        #expect(refusal.message.contains("captive portal"))
    }

    @Test func whatTheServerSaysIsSanitisedAndScrubbed() throws {
        let answer = try answer(
            #"{"error":"invalid_grant","error_description":"token canary+1 \u001b[31mis old; canary%2B1"}"#, 400,
            secrets: ["canary+1"])
        let error = try #require(answer.refusal)
        #expect(!"\(error)".contains("canary"))
        #expect(!"\(error)".contains("\u{1b}"))
        #expect("\(error)".contains("is old"))
    }

    @Test func aRefreshAnswerWithoutRefreshTokenKeepsTheOld() throws {
        let now = Date()
        let old = OAuth2Tokens(accessToken: "a", refreshToken: "r", scopes: ["x"], receivedAt: now)
        let response = try TokenResponse(answer(#"{"access_token":"b"}"#))
        let tokens = response.tokens(at: now, source: .refresh, keeping: old)
        #expect(tokens.accessToken.value == "b")
        #expect(tokens.refreshToken?.value == "r")
        #expect(tokens.scopes == ["x"])
    }

    @Test(arguments: [("5", 5), ("0", 0), ("99999", 3600), ("99999999999999999999999999", 3600)])
    func retryAfter(text: String, seconds: Int) throws {
        let name = try #require(HTTPField.Name("Retry-After"))
        #expect(try answer("", 503, [name: text]).refusal?.retryAfter == .seconds(seconds))
    }

    @Test(arguments: ["-3", "nan", "inf", "1e9", "0x10", "1.5", ""])
    func whatIsNoPause(text: String) throws {
        let name = try #require(HTTPField.Name("Retry-After"))
        #expect(try answer("", 503, [name: text]).refusal?.retryAfter == nil)
    }

    @Test(
        arguments: [
            ("\"nan\"", nil), ("\"inf\"", nil), ("\"-inf\"", nil), ("\"0x1p9\"", nil), ("\" 60 \"", .seconds(60)),
            ("-1e300", .seconds(1)), ("1e300", .seconds(3600)), ("\"1e400\"", nil), ("true", nil),
            ("90.5", .seconds(90.5)),
        ] as [(String, Duration?)])
    func timesOfAPeerAreBounded(json: String, expected: Duration?) throws {
        let members = try #require(JSONValue.object(Array(#"{"t":\#(json)}"#.utf8)))
        #expect(members["t"]?.seconds(clampingTo: .seconds(1) ... .seconds(3600)) == expected)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:49:47 GMT", 10), ("Sun Nov  6 08:49:30 1994", 0),
        ("Mon, 07 Nov 1994 08:49:37 GMT", 3600),
    ])
    func retryAfterADate(text: String, seconds: Int) throws {
        let name = try #require(HTTPField.Name("Retry-After"))
        let fields: HTTPFields = [name: text, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(try answer("", 429, fields).refusal?.retryAfter == .seconds(seconds))
    }

    @Test func renewalIsAheadOfTheEndButNotAllTheTime() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let long = OAuth2Tokens(accessToken: "a", expiresAt: now + 3600, receivedAt: now)
        #expect(!long.needsRenewal(at: now + 3500, skew: .seconds(60)))
        #expect(long.needsRenewal(at: now + 3541, skew: .seconds(60)))
        let short = OAuth2Tokens(accessToken: "a", expiresAt: now + 10, receivedAt: now)
        #expect(!short.needsRenewal(at: now + 7, skew: .seconds(60)))
        #expect(short.needsRenewal(at: now + 9, skew: .seconds(60)))
        #expect(!OAuth2Tokens(accessToken: "a").needsRenewal(at: .distantFuture, skew: .seconds(60)))
    }
}
