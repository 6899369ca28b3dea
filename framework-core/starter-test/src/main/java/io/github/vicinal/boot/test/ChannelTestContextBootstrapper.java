package io.github.vicinal.boot.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Makes the contexts of {@link ChannelTest}. */
final class ChannelTestContextBootstrapper extends TestSliceTestContextBootstrapper<ChannelTest> {

}
