import Testing

@testable import HttpC
@testable import HttpConvWebStrategies

@Suite("The platform's web strategies")
struct PlatformTests {
    @Test func aManagerBringsTheDefault() throws {
        _ = HttpConversationManager()
        #expect(WebStrategies.shared.defaultOAuth2Strategy is LoopbackOAuth2Strategy)
    }

    #if os(Linux)
    @Test func aDisplayBringsAWindow() {
        let strategies = WebStrategies()
        var options = ChromiumStrategy.Options()
        options.environment = ["DISPLAY": ""]
        PlatformWebStrategies.install(ChromiumStrategy(options), in: strategies)
        #expect(strategies.defaultSAML2Strategy == nil && strategies.defaultOTPStrategy == nil)
        options.environment = ["DISPLAY": ":0"]
        PlatformWebStrategies.install(ChromiumStrategy(options), in: strategies)
        #expect(strategies.defaultSAML2Strategy is ChromiumStrategy)
        #expect(strategies.defaultOTPStrategy is ChromiumStrategy)
    }
    #endif
}
