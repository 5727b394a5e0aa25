import HTTPTypes

extension ConversationLoop {
    /// The login's result according to the last response.
    var login: LoginOutcome {
        guard let answered = lastAnswered else { return .notAsked }
        let fields = answered.exchange.request.headerFields
        guard answered.status == 401 || answered.isProxyChallenge else {
            return hasLoggedIn || answered.exchange.sent != nil || fields.contains(.authorization)
                ? .accepted : .notAsked
        }
        let isRefused =
            answered.offered.isEmpty
            ? answered.exchange.sent != nil || fields.contains(.authorization)
            : answered.offered.contains { offered in
                let space = space(of: offered, answered)
                return !challenges.refused(in: space).isEmpty || verdict(offered, space, answered) == .refused
            }
        if isRefused { return .refused }
        return hasAnswerableChallenge(answered) ? .unanswered : .notConfigured
    }
}
