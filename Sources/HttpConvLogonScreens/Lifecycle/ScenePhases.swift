/// The phases of an application's scenes. The application is used while one of its scenes is.
struct ScenePhases: Sendable {
    private var phases: [String: LogonLifecycle.Phase] = [:]

    /// The most active phase of all scenes; nil without scenes.
    var overall: LogonLifecycle.Phase? {
        let known = Set(phases.values)
        return [.active, .inactive, .background].first(where: known.contains)
    }

    /// Notes the phase of a scene; nil: it is gone.
    ///
    /// - Returns: the phase of all scenes if this has changed it; the last scene that goes changes nothing
    mutating func note(_ phase: LogonLifecycle.Phase?, of scene: String) -> LogonLifecycle.Phase? {
        let before = overall
        phases[scene] = phase
        return overall == before ? nil : overall
    }
}
