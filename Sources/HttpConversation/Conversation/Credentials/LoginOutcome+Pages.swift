extension LoginOutcome {
    /// Advice for an error message about a page in place of another type of answer.
    package static var pageAdvice: String {
        "log in to the network if it demands that, or configure the manager for the server's login."
    }
}
