/// The reason why a scene failed.
struct DemoFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }

    /// Throws if a condition does not hold.
    static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws(DemoFailure) {
        if !condition { throw DemoFailure(text()) }
    }
}
