#if os(Linux)
import HttpC
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Unattended conversations with servers that ask for a certificate.
    @Suite(.landscape) struct CertificateTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        private func chromium(_ landscape: Landscape) -> (FormAnswers) -> any WebLoginStrategy {
            { answers in
                var options = ChromiumStrategy.Options()
                options.isHeadless = true
                options.authorityPEM = landscape.certificates.authorityPEM
                options.timeLimit = .seconds(90)
                options.answers = answers
                return ChromiumStrategy(options)
            }
        }

        @Test(arguments: [true, false]) func certificateThenSAML2ThenCode(isInteractive: Bool) async throws {
            let bench = try CertificateBench(
                landscape, .mutual, isForBoth: true, isInteractive: isInteractive, strategy: chromium(landscape))
            let response = try await bench.get("/otp/saml/page")
            #expect(response.text.contains("[\"SAML2\",\"OTP\"]"), "\(response.text)")
            #expect(landscape.samlCounters.logins == 1 && landscape.otpCounters.accepted == 1)
            for server in [bench.serviceProvider, bench.identityProvider] {
                #expect(Set(bench.shown(to: server)) == ["CN=alice"])
            }
        }

        /// The certificate is not sent: the identity provider asks, but it is for the service provider.
        @Test func anIdentityProviderThatItIsNotFor() async throws {
            let bench = try CertificateBench(
                landscape, .mutualOptional, isForBoth: false, strategy: chromium(landscape))
            #expect(try await bench.get("/saml/post-post/page").text.contains("alice"))
            #expect(Set(bench.shown(to: bench.serviceProvider)) == ["CN=alice"])
            #expect(Set(bench.shown(to: bench.identityProvider)) == [nil])
        }

        /// A page of the login leads to a server that is not named, and that asks for a certificate.
        @Test func aForeignServerOnTheWay() async throws {
            let bench = try CertificateBench(
                landscape, .mutual, isForBoth: true, strategy: chromium(landscape))
            let foreign = landscape.urlString(.mutualOptional, "")
            let probe = LoginProbe(
                start: try TargetURL(
                    "\(bench.identityProvider)/redirect/302?to=\(foreign)/redirect/302?to=/finish"),
                strategy: chromium(landscape)(bench.answers))
            bench.manager.update { $0.responseFilters.add(probe) }
            _ = try await bench.get("/json")
            #expect(probe.finish == "\(foreign)/finish", "\(String(describing: probe.failure))")
            #expect(bench.shown(to: try TargetURL(foreign).origin) == [nil])
            #expect(bench.shown(to: bench.identityProvider) == ["CN=alice"])
        }
    }
}
#endif
