/// Adds filters, observers and settings to manager configurations.
///
/// Applying a configurator twice must do no harm: filters are added under fixed ids with the configurator's
/// ``ConfiguratorID``, and an equal id replaces. One that stands for a person joins its ``ConfiguratorSession``; it does not
/// throw: what is wrong with it is reported (``HttpConversationManager/Configuration/report(_:)``).
public protocol ManagerConfigurator: Sendable {
    /// Adds what this configurator stands for.
    func configure(_ configuration: inout HttpConversationManager.Configuration)
}
