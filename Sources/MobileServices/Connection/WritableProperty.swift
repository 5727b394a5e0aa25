/// A property of a connection that the application may set, by its name in the service.
public struct WritableProperty<Value: ConnectionPropertyValue>: Sendable {
    /// The name in the service.
    public let name: String

    fileprivate init(_ name: String) { self.name = name }
}

extension WritableProperty where Value == String {
    /// The version of the application.
    public static var applicationVersion: Self { Self("ApplicationVersion") }
    /// The model of the device.
    public static var deviceModel: Self { Self("DeviceModel") }
    /// The kind of device, such as `iPhone` or `Android`. Servers accept a fixed list.
    public static var deviceType: Self { Self("DeviceType") }
    /// The kind of device in more detail.
    public static var deviceSubType: Self { Self("DeviceSubType") }
    /// The device's telephone number.
    public static var devicePhoneNumber: Self { Self("DevicePhoneNumber") }
    /// The identity of the device's SIM.
    public static var deviceIMSI: Self { Self("DeviceIMSI") }
    /// The form factor, such as `smartphone` or `tablet`.
    public static var formFactor: Self { Self("FormFactor") }
    /// The user's language and region.
    public static var userLocale: Self { Self("UserLocale") }
    /// The user's time zone.
    public static var timeZone: Self { Self("TimeZone") }
    /// The last known location of the device.
    public static var lastKnownLocation: Self { Self("LastKnownLocation") }
    /// A group whose members get the same push messages.
    public static var pushGroup: Self { Self("PushGroup") }
    /// The user's e-mail address.
    public static var email: Self { Self("Email") }
    /// A value of the application's own.
    public static var custom1: Self { Self("CustomCustom1") }
    /// A value of the application's own.
    public static var custom2: Self { Self("CustomCustom2") }
    /// A value of the application's own.
    public static var custom3: Self { Self("CustomCustom3") }
    /// A value of the application's own.
    public static var custom4: Self { Self("CustomCustom4") }
    /// Google's registration id of the device.
    public static var androidGcmRegistrationID: Self { Self("AndroidGcmRegistrationId") }
    /// Apple's token of the device, in hexadecimal digits.
    public static var apnsDeviceToken: Self { Self("ApnsDeviceToken") }
    /// Microsoft's channel for telephones.
    public static var mpnsChannelURI: Self { Self("MpnsChannelURI") }
    /// Microsoft's channel for Windows.
    public static var wnsChannelURI: Self { Self("WnsChannelURI") }
}

extension WritableProperty where Value == Bool {
    /// Whether the server sends push messages by Google's service.
    public static var androidGcmPushEnabled: Self { Self("AndroidGcmPushEnabled") }
    /// Whether the server sends push messages by Apple's service.
    public static var apnsPushEnable: Self { Self("ApnsPushEnable") }
    /// Whether the server sends push messages by Microsoft's service for telephones.
    public static var mpnsPushEnable: Self { Self("MpnsPushEnable") }
    /// Whether the server sends push messages by Microsoft's service for Windows.
    public static var wnsPushEnable: Self { Self("WnsPushEnable") }
}
