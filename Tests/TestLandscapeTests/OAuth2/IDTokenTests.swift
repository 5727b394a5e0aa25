import Foundation
import LandscapeSupport
import TestSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct IDTokenTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// Verifies an ES256 token in plain Python, and also with joserfc if installed. It prints header and claims.
    private static let script = """
        import base64, hashlib, json, sys
        token, keys = sys.argv[1], json.loads(sys.argv[2])
        def raw(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        def number(text): return int.from_bytes(raw(text), "big")
        p = 2**256 - 2**224 + 2**192 + 2**96 - 1
        n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
        g = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
             0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)
        def add(a, b):
            if a is None or b is None: return a or b
            if a[0] == b[0] and (a[1] + b[1]) % p == 0: return None
            if a == b: s = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, p)
            else: s = (b[1] - a[1]) * pow(b[0] - a[0], -1, p)
            x = (s * s - a[0] - b[0]) % p
            return x, (s * (a[0] - x) - a[1]) % p
        def times(k, point):
            result = None
            while k:
                if k & 1: result = add(result, point)
                point, k = add(point, point), k >> 1
            return result
        head, claims, signature = token.split(".")
        header = json.loads(raw(head))
        found = [k for k in keys["keys"] if k["kid"] == header.get("kid")]
        good = False
        if header["alg"] == "ES256" and found:
            q = number(found[0]["x"]), number(found[0]["y"])
            r, s = (int.from_bytes(part, "big") for part in (raw(signature)[:32], raw(signature)[32:]))
            z = int.from_bytes(hashlib.sha256(f"{head}.{claims}".encode()).digest(), "big")
            w = pow(s, -1, n)
            point = add(times(z * w % n, g), times(r * w % n, q))
            good = point is not None and point[0] % n == r
        try:
            from joserfc import jwt
            from joserfc.jwk import KeySet
        except ImportError:
            pass
        else:
            try: jwt.decode(token, KeySet.import_key_set(keys), algorithms=["ES256"]); also = True
            except Exception: also = False
            assert also == good, "the two verifiers differ"
        print(json.dumps({"good": good, "header": header, "claims": json.loads(raw(claims))}))
        """

    private static func verify(_ token: String, _ person: OAuthPerson) async throws -> [String: Any] {
        let keys = try await person.curl([], "/oauth2/jwks").body
        let outcome = try await Program.run("/usr/bin/env", ["python3", "-c", script, token, keys])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any] ?? [:]
    }

    private static func idToken(_ person: OAuthPerson) async throws -> OAuthAnswer {
        try await person.redeem(try await person.code(["nonce": "n-0S6_WzA2Mj", "scope": "openid profile"]))
    }

    @Test(arguments: [LandscapeOrigin.main, .secure])
    func signatureVerifies(origin: LandscapeOrigin) async throws {
        let person = try OAuthPerson(landscape, origin)
        let tokens = try await Self.idToken(person)
        let token = try #require(tokens.text("id_token"))
        landscape.rotateIDTokenKey()
        let verified = try await Self.verify(token, person)
        #expect(verified["good"] as? Bool == true)
        let claims = try #require(verified["claims"] as? [String: Any])
        #expect(claims["iss"] as? String == landscape.issuer(origin))
        #expect(claims["aud"] as? String == "native" && claims["sub"] as? String == "alice")
        #expect(claims["nonce"] as? String == "n-0S6_WzA2Mj")
        #expect(claims["preferred_username"] as? String == "alice")
        let (issued, expires) = (claims["iat"] as? Int ?? 0, claims["exp"] as? Int ?? 0)
        #expect(expires - issued == 300 && abs(issued - Int(Date().timeIntervalSince1970)) < 30)
        let refreshed = try await person.refresh(tokens.text("refresh_token"))
        let second = try await Self.verify(try #require(refreshed.text("id_token")), person)
        #expect(second["good"] as? Bool == true)
        #expect((second["claims"] as? [String: Any])?["nonce"] == nil)
        let info = try await person.curl(
            ["-H", "Authorization: Bearer \(refreshed.text("access_token") ?? "")"], "/oauth2/userinfo")
        #expect(info.text("sub") == "alice" && info.text("preferred_username") == "alice")
        let other = try #require(landscape.issueTokens(client: "native")).accessToken
        #expect(try await person.status(other, "/oauth2/userinfo") == 403)
    }

    @Test(arguments: [
        (OAuthTokenFault.algNone, false), (.badSignature, false), (.unknownKey, false), (.wrongIssuer, true),
        (.wrongAudience, true), (.expiredIDToken, true), (.wrongNonce, true),
    ])
    func canBeWrong(fault: OAuthTokenFault, isSigned: Bool) async throws {
        let person = try OAuthPerson(landscape)
        landscape.failTokenRequests(fault)
        let verified = try await Self.verify(try #require(try await Self.idToken(person).text("id_token")), person)
        #expect(verified["good"] as? Bool == isSigned)
        let claims = try #require(verified["claims"] as? [String: Any])
        let header = try #require(verified["header"] as? [String: Any])
        #expect((header["alg"] as? String == "none") == (fault == .algNone))
        #expect((claims["iss"] as? String == landscape.issuer()) == (fault != .wrongIssuer))
        #expect((claims["aud"] as? String == "native") == (fault != .wrongAudience))
        #expect((claims["nonce"] as? String == "n-0S6_WzA2Mj") == (fault != .wrongNonce))
        let expires = claims["exp"] as? Int ?? 0
        #expect((expires > Int(Date().timeIntervalSince1970)) == (fault != .expiredIDToken))
    }
}
