import ArgumentParser
import HttpCClient
import HttpCTerminal

extension ProfileChoice {
    /// Checks the name of a profile whose state is needed: the profile must be in the configuration or have state.
    ///
    /// - Parameter config: the configuration file, if it is not the usual one
    static func requireKnown(_ name: String, config: String? = nil) throws {
        guard ProfileName.isValid(name) else { throw ValidationError(ProfileName.isImpossible) }
        let left = StateDirectory.profiles()
        if left.contains(name) { return }
        let file = try ConfigurationFile.load(config)
        if file.profile(named: name) == nil { throw unknown(name, in: file, or: left) }
    }
}
