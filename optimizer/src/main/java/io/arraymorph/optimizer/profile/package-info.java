/**
 * What is known of a store: how fast it answers, what it charges, and what a slice function beside
 * it can do.
 *
 * <p>Start with {@link io.arraymorph.optimizer.profile.StoreProfile} and {@link
 * io.arraymorph.optimizer.profile.StoreProfiles}. Profiles are data files (docs/spec/profile.md);
 * everything here is immutable.
 */
package io.arraymorph.optimizer.profile;
