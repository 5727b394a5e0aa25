import Testing

@testable import HttpConvLogonScreens

@Suite("The phases of several scenes")
struct ScenePhasesTests {
    @Test func aSceneLeavesWhileAnotherIsInUse() {
        var phases = ScenePhases()
        #expect(phases.note(.active, of: "a") == .active)
        #expect(phases.note(.active, of: "b") == nil)
        #expect(phases.note(.inactive, of: "b") == nil)
        #expect(phases.note(.background, of: "b") == nil)
        #expect(phases.overall == .active, "a is in use")
        #expect(phases.note(nil, of: "b") == nil)
        #expect(phases.note(.inactive, of: "a") == .inactive)
        #expect(phases.note(.background, of: "a") == .background)
        #expect(phases.note(.active, of: "a") == .active)
    }

    @Test func theSceneInUseIsGone() {
        var phases = ScenePhases()
        _ = phases.note(.background, of: "a")
        #expect(phases.note(.active, of: "b") == .active)
        #expect(phases.note(nil, of: "b") == .background)
        #expect(phases.note(nil, of: "b") == nil)
        #expect(phases.note(nil, of: "a") == nil, "without scenes nothing changes")
        #expect(phases.overall == nil)
        #expect(phases.note(.active, of: "c") == .active)
    }
}
