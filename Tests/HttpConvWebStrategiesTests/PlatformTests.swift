import HttpC
import Testing

@Suite("The platform's web strategies")
struct PlatformTests {
    @Test func aManagerBringsTheDefault() throws {
        _ = HttpConversationManager()
        #expect(WebStrategies.shared.defaultOAuth2Strategy is LoopbackOAuth2Strategy)
    }
}
