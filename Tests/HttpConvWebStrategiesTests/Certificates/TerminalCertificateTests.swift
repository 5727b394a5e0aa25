import HttpC
import LandscapeSupport
import Testing

/// Client certificates on the pages of logins, without a browser.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct TerminalCertificateTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func terminal(_ answers: FormAnswers) -> TerminalWebStrategy {
        TerminalWebStrategy(prompter: nil, answers: answers)
    }

    @Test(arguments: [true, false]) func certificateThenSAML2ThenCode(isInteractive: Bool) async throws {
        let bench = try CertificateBench(
            landscape, .mutual, isForBoth: true, isInteractive: isInteractive, strategy: terminal)
        let response = try await bench.get("/otp/saml/page")
        #expect(response.text.contains("[\"SAML2\",\"OTP\"]"), "\(response.text)")
        #expect(landscape.samlCounters.logins == 1 && landscape.otpCounters.accepted == 1)
        for server in [bench.serviceProvider, bench.identityProvider] {
            #expect(Set(bench.shown(to: server)) == ["CN=alice"])
        }
    }

    @Test func certificateThenBasic() async throws {
        let bench = try CertificateBench(landscape, .mutual, isForBoth: false, strategy: terminal)
        #expect(try await bench.get("/basic/realm1/page").status == .ok)
        #expect(Set(bench.shown(to: bench.serviceProvider)) == ["CN=alice"])
    }

    /// The certificate is not sent: the identity provider asks, but it is for the service provider.
    @Test func anIdentityProviderThatItIsNotFor() async throws {
        let bench = try CertificateBench(landscape, .mutualOptional, isForBoth: false, strategy: terminal)
        #expect(try await bench.get("/saml/post-post/page").text.contains("alice"))
        #expect(Set(bench.shown(to: bench.serviceProvider)) == ["CN=alice"])
        #expect(Set(bench.shown(to: bench.identityProvider)) == [nil])
    }

    @Test func anIdentityProviderThatDemandsOne() async throws {
        let bench = try CertificateBench(landscape, .mutual, isForBoth: false, strategy: terminal)
        let error = await #expect(throws: ConversationError.self) { _ = try await bench.get("/saml/post-post/x") }
        let cause = try #require(error?.underlyingError as? WebLoginError)
        #expect(
            cause.message.contains("\(bench.identityProvider.authority) demands a client certificate"), "\(cause)")
        #expect((cause.underlyingError as? ConversationError)?.code == .clientCertificateRequired)
        #expect(bench.shown(to: bench.identityProvider).isEmpty)
    }

    /// A page of the login leads to a server that is not named, and that asks for a certificate.
    @Test func aForeignServerOnTheWay() async throws {
        let bench = try CertificateBench(landscape, .mutual, isForBoth: true, strategy: terminal)
        let foreign = landscape.urlString(.mutualOptional, "")
        let probe = LoginProbe(
            start: try TargetURL("\(bench.identityProvider)/redirect/302?to=\(foreign)/redirect/302?to=/finish"),
            strategy: terminal(bench.answers))
        bench.manager.update { $0.responseFilters.add(probe) }
        _ = try await bench.get("/json")
        #expect(probe.finish == "\(foreign)/finish", "\(String(describing: probe.failure))")
        #expect(bench.shown(to: try TargetURL(foreign).origin) == [nil])
        #expect(bench.shown(to: bench.identityProvider) == ["CN=alice"])
    }
}
