import HttpConversation

/// The view, and its cookies and scripts, as a login needs them.
@MainActor
protocol WebKitView: AnyObject {
    func setCookie(_ cookie: Cookie) async
    func cookies() async -> [Cookie]
    /// Shows the view to the person.
    func show()
    func load(_ url: TargetURL)
    /// Stops loading, and removes the view.
    func remove()
    /// Calls a function in the main frame's page, in a world that the page's scripts cannot reach.
    ///
    /// - Parameter arguments: a list in JSON
    /// - Returns: the result in JSON; nil if there is none
    func call(_ function: String, _ arguments: String) async -> String?
}
